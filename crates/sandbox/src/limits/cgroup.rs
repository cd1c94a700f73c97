//! Control groups, version 2, where there is one that we may divide. The kernel then keeps memory and processes within the
//! limits, all processes of a cell together; where there is none, rlimits and watching do.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

const NEEDED: [&str; 2] = ["memory", "pids"];

/// A folder in which groups of cells are made.
#[derive(Clone, Debug)]
pub(crate) struct Cgroups {
    folder: PathBuf,
    next: Arc<AtomicU64>,
    emptied: Arc<Emptied>,
}

impl Cgroups {
    /// The given folder, or the group we are in. The reason is for people.
    pub(crate) fn find(given: Option<&Path>) -> Result<Cgroups, String> {
        let folder = match given {
            Some(folder) => folder.to_owned(),
            None => own_group()?,
        };
        let told = |error: io::Error| format!("`{}` cannot be used: {error}", folder.display());
        let offered = fs::read_to_string(folder.join("cgroup.controllers")).map_err(told)?;
        let missing: Vec<&str> =
            NEEDED.into_iter().filter(|name| !offered.split_whitespace().any(|one| one == *name)).collect();
        if !missing.is_empty() {
            return Err(format!("`{}` does not offer {}", folder.display(), missing.join(" and ")));
        }
        fs::write(folder.join("cgroup.subtree_control"), "+memory +pids").map_err(told)?;
        Ok(Cgroups { folder, next: Arc::default(), emptied: Arc::default() })
    }

    /// A new group with a process in it.
    pub(crate) fn enclose(&self, pid: i32) -> io::Result<Cgroup> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.join(format!("cell-{}-{number}", std::process::id()));
        fs::create_dir(&folder)?;
        let group = Cgroup { folder, emptied: Arc::clone(&self.emptied) };
        group.write("cgroup.procs", &pid.to_string())?;
        Ok(group)
    }
}

fn own_group() -> Result<PathBuf, String> {
    let text = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
    let path = text.lines().find_map(|line| line.strip_prefix("0::/")).ok_or("there is no cgroup v2")?;
    let mounts = fs::read_to_string("/proc/self/mounts").map_err(|error| error.to_string())?;
    let mount = mounts
        .lines()
        .find_map(|line| {
            let mut fields = line.split(' ').skip(1);
            let place = fields.next()?;
            (fields.next()? == "cgroup2").then_some(place)
        })
        .ok_or("cgroup v2 is not mounted")?;
    Ok(Path::new(mount).join(path))
}

/// Groups whose cells were told to end. One cannot be removed while a process of it is still ending, and then it is tried
/// again with the next, and at the end.
#[derive(Debug, Default)]
struct Emptied(Mutex<Vec<PathBuf>>);

impl Emptied {
    fn remove(&self, group: PathBuf) {
        // Nothing that holds the lock can panic.
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        groups.push(group);
        remove(&mut groups);
    }
}

impl Drop for Emptied {
    fn drop(&mut self) {
        remove(self.0.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Removes what can be removed.
fn remove(groups: &mut Vec<PathBuf>) {
    groups.retain(|group| fs::remove_dir(group).is_err_and(|error| error.kind() != io::ErrorKind::NotFound));
}

/// The group of one cell; it goes when this is dropped, which must be after the cell was killed.
#[derive(Debug)]
pub(crate) struct Cgroup {
    folder: PathBuf,
    emptied: Arc<Emptied>,
}

impl Cgroup {
    pub(crate) fn limit(&self, memory_bytes: u64, processes: u32) -> io::Result<()> {
        self.write("memory.max", &memory_bytes.to_string())?;
        // There is no swap everywhere.
        let _ = self.write("memory.swap.max", "0");
        self.write("pids.max", &processes.to_string())
    }

    /// Whether the kernel killed something in it for memory.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events")).unwrap_or_default();
        events.lines().any(|line| line.strip_prefix("oom_kill ").is_some_and(|count| count.trim() != "0"))
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        fs::write(self.folder.join(name), text)
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        self.emptied.remove(std::mem::take(&mut self.folder));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fake(controllers: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cgroup.controllers"), controllers).unwrap();
        folder
    }

    #[test]
    fn a_folder_without_the_controllers_is_refused_by_their_names() {
        let folder = fake("cpu pids\n");
        let why = Cgroups::find(Some(folder.path())).unwrap_err();
        assert_eq!(why, format!("`{}` does not offer memory", folder.path().display()));
    }

    #[test]
    fn a_cell_gets_a_group_of_its_own_with_its_limits() {
        let folder = fake("cpu memory pids\n");
        let group = Cgroups::find(Some(folder.path())).unwrap().enclose(42).unwrap();
        group.limit(1 << 20, 8).unwrap();
        assert_eq!(fs::read_to_string(group.folder.join("cgroup.procs")).unwrap(), "42");
        assert_eq!(fs::read_to_string(group.folder.join("memory.max")).unwrap(), "1048576");
        assert_eq!(fs::read_to_string(group.folder.join("pids.max")).unwrap(), "8");
    }

    #[test]
    fn a_kill_for_memory_is_seen_in_the_events() {
        let folder = fake("memory pids");
        let group = Cgroups::find(Some(folder.path())).unwrap().enclose(42).unwrap();
        fs::write(group.folder.join("memory.events"), "oom 1\noom_kill 0\n").unwrap();
        assert!(!group.ran_out_of_memory());
        fs::write(group.folder.join("memory.events"), "oom 1\noom_kill 2\n").unwrap();
        assert!(group.ran_out_of_memory());
    }

    #[test]
    fn a_group_that_is_still_in_use_is_removed_with_the_next() {
        let folder = fake("memory pids");
        let groups = Cgroups::find(Some(folder.path())).unwrap();
        let (first, second) = (groups.enclose(42).unwrap(), groups.enclose(43).unwrap());
        let folders = [first.folder.clone(), second.folder.clone()];
        // A file in it keeps a folder from being removed, as a process in it does a group.
        drop(first);
        assert!(folders[0].exists());
        folders.iter().for_each(|folder| fs::remove_file(folder.join("cgroup.procs")).unwrap());
        drop(second);
        assert!(!folders[0].exists() && !folders[1].exists());
    }
}
