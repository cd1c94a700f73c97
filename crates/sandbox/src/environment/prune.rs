//! Takes away the environments used longest ago, and from the downloads the packages that no environment has any more: both
//! share their files where the file system allows it, so that one without the other would free little. An environment that is
//! in use, here or in another process, stays.

use std::collections::BTreeSet;
use std::fs;
use std::time::SystemTime;

use crate::environment::build;
use crate::environment::cache::{Cache, making};
use crate::environment::error::Error;
use crate::environment::lock::Lock;
use crate::environment::made::Made;
use crate::environment::seal;
use crate::environment::usage::Usage;

/// How much stays. Both bounds hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    pub environments: usize,
    pub bytes: u64,
}

impl Keep {
    pub fn environments(count: usize) -> Keep {
        Keep { environments: count, bytes: u64::MAX }
    }

    pub fn bytes(bytes: u64) -> Keep {
        Keep { environments: usize::MAX, bytes }
    }
}

/// What was taken away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub environments: Vec<String>,
    /// How much less the cache takes on the disk.
    pub bytes: u64,
}

/// What environments and downloads take on the disk.
pub(super) fn usage(cache: &Cache) -> Result<u64, Error> {
    let mut usage = Usage::default();
    for folder in [cache.environments(), cache.downloads()] {
        usage.add(&folder).map_err(Error::cache(&folder))?;
    }
    Ok(usage.bytes)
}

/// The environments that were taken away.
pub(super) fn environments(cache: &Cache, keep: Keep) -> Result<Vec<String>, Error> {
    clear_leftovers(cache)?;
    let mut pruned = Vec::new();
    let (mut count, mut bytes) = (0_usize, 0_u64);
    for (_, made) in by_last_use(cache)? {
        let fits = count < keep.environments && bytes.saturating_add(made.bytes()) <= keep.bytes;
        if !fits && take_away(cache, &made.id)? {
            pruned.push(made.id);
        } else {
            count += 1;
            bytes = bytes.saturating_add(made.bytes());
        }
    }
    Ok(pruned)
}

/// Packages that were fetched for some environment and are in none now.
pub(super) fn unused(cache: &Cache) -> Result<BTreeSet<String>, Error> {
    let mut names: BTreeSet<String> =
        Lock::all(cache)?.into_iter().flat_map(|lock| lock.packages).map(|package| package.name).collect();
    for (_, made) in by_last_use(cache)? {
        for package in made.packages {
            names.remove(&package.name);
        }
    }
    Ok(names)
}

/// The last used first.
fn by_last_use(cache: &Cache) -> Result<Vec<(SystemTime, Made)>, Error> {
    let mut found: Vec<(SystemTime, Made)> = names(cache)?
        .iter()
        .filter_map(|name| {
            let made = Made::load(&cache.environment(name)).filter(|made| made.id == *name)?;
            let used = fs::metadata(cache.used(name)).and_then(|file| file.modified());
            Some((used.unwrap_or(SystemTime::UNIX_EPOCH), made))
        })
        .collect();
    found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.id.cmp(&other.1.id)));
    Ok(found)
}

/// Whether it could be taken away, which it cannot while someone uses it.
fn take_away(cache: &Cache, id: &str) -> Result<bool, Error> {
    let Some(_making) = cache.try_hold(&making(id))? else { return Ok(false) };
    let Some(_using) = cache.try_hold(id)? else { return Ok(false) };
    build::clear(cache, id)?;
    // Only a hint of when it was used; the next use makes it again.
    let _ = fs::remove_file(cache.used(id));
    Ok(true)
}

/// Folders of builds that were killed.
fn clear_leftovers(cache: &Cache) -> Result<(), Error> {
    for name in names(cache)? {
        let Some((id, _)) = name.split_once(".partial-") else { continue };
        let Some(_hold) = cache.try_hold(&making(id))? else { continue };
        let leftover = cache.environments().join(&name);
        seal::remove(&leftover).map_err(Error::cache(&leftover))?;
    }
    Ok(())
}

fn names(cache: &Cache) -> Result<Vec<String>, Error> {
    let folder = cache.environments();
    let entries = fs::read_dir(&folder).map_err(Error::cache(&folder))?;
    Ok(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}
