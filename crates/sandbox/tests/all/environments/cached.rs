//! What stays in the cache, what is repaired there, and what is taken away.

use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use selfmade_sandbox::environment::{
    Environments, EnvironmentsConfig, Keep, PackagePolicy, ProblemKind, Progress, Pruned,
};

use super::{Heard, Place, set};

#[tokio::test]
async fn what_was_made_is_used_again_without_uv() {
    let mut place = Place::new().await;
    let made = place.get(&["six"]).await.unwrap();
    place.config.uv = Some("/nowhere/uv".into());
    assert_eq!(place.get(&["Six"]).await.unwrap(), made);
}

#[tokio::test]
async fn offline_the_cache_is_enough_to_make_it_again() {
    let mut place = Place::new().await;
    let made = place.get(&["six"]).await.unwrap().id.clone();
    fs::remove_dir_all(place.cached("locks")).unwrap();
    fs::rename(place.cached(&format!("environments/{made}")), place.cached("environments/lost")).unwrap();
    place.config.offline = true;
    assert_eq!(place.get(&["six"]).await.unwrap().id, made);
}

#[tokio::test]
async fn what_may_be_built_from_source_is_apart_from_what_may_not() {
    let place = Place::new().await;
    let wheels = place.get(&["six"]).await.unwrap().id.clone();
    let policy = PackagePolicy { allow_source: true, ..PackagePolicy::default() };
    let building = Environments::open(EnvironmentsConfig { policy, ..place.config.clone() }).await.unwrap();
    let built = building.get(&set(&["six"])).await.unwrap();
    assert_eq!(built.id, wheels, "the same files");
    assert!(built.site_packages[0].starts_with(place.cached("built_from_source")), "{built:?}");
    assert!(building.get(&set(&["docopt"])).await.is_ok());
    let (kind, _, _) = place.failed(&["docopt"]).await;
    assert_eq!(kind, ProblemKind::NoWheel, "also when somebody else has built it");
}

#[tokio::test]
async fn a_cache_that_everybody_may_write_to_is_refused() {
    let place = Place::new().await;
    place.get(&["six"]).await.unwrap();
    fs::set_permissions(place.cached("environments"), Permissions::from_mode(0o777)).unwrap();
    let error = Environments::open(place.config.clone()).await.err().expect("it is refused");
    let why = std::error::Error::source(&error).unwrap().to_string();
    assert!(why.starts_with("every user may write to `") && why.contains("`chmod o-w "), "{why}");
}

#[tokio::test]
async fn one_that_was_killed_half_way_is_never_used() {
    let place = Place::new().await;
    let made = place.get(&["six"]).await.unwrap();
    let folder = place.cached(&format!("environments/{}", made.id));
    let partial = place.cached(&format!("environments/{}.partial-1", made.id));
    fs::rename(&folder, &partial).unwrap();
    fs::create_dir(&folder).unwrap();
    let again = place.get(&["six"]).await.unwrap();
    assert_eq!(again, made);
    assert!(again.site_packages[0].join("six.py").is_file());
    assert!(!partial.exists());
}

#[tokio::test]
async fn one_whose_files_were_lost_is_made_again() {
    let place = Place::new().await;
    let made = place.get(&["six"]).await.unwrap();
    let module = made.site_packages[0].join("six.py");
    // A file of its own instead of the one shared with the downloads, which would be cut short too.
    fs::set_permissions(&made.site_packages[0], PermissionsExt::from_mode(0o755)).unwrap();
    fs::remove_file(&module).unwrap();
    fs::write(&module, "").unwrap();
    place.get(&["six"]).await.unwrap();
    assert!(fs::metadata(&module).unwrap().len() > 1000);
}

#[tokio::test]
async fn the_one_used_longest_ago_is_pruned_first() {
    let place = Place::new().await;
    let environments = place.open().await;
    let old = environments.get(&set(&["six"])).await.unwrap().id.clone();
    let new = environments.get(&set(&["idna"])).await.unwrap().id.clone();
    let pruned = environments.prune(Keep::environments(1)).await.unwrap();
    assert_eq!(pruned.environments, [old.as_str()]);
    assert!(pruned.bytes > 0);
    assert!(environments.made(&old).is_none() && environments.made(&new).is_some());
    assert_eq!(environments.prune(Keep::bytes(1)).await.unwrap().environments, [new]);
}

/// What environments and downloads take on the disk, each file once.
fn taken(place: &Place) -> u64 {
    let mut folders = vec![place.cached("environments"), place.cached("downloads")];
    let mut files = HashMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let found = entry.metadata().unwrap();
            files.insert(found.ino(), found.blocks() * 512);
            if found.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    files.values().sum()
}

#[tokio::test]
async fn pruning_frees_what_it_says_and_the_downloads_go_too() {
    let place = Place::new().await;
    let environments = place.open().await;
    // Some four megabytes, most of them in files that environment and downloads share.
    let size = {
        let made = environments.get(&set(&["setuptools"])).await.unwrap();
        environments.made(&made.id).unwrap().bytes()
    };
    let before = taken(&place);
    let pruned = environments.prune(Keep::environments(0)).await.unwrap();
    assert_eq!(pruned.environments.len(), 1);
    assert_eq!(pruned.bytes, before - taken(&place));
    assert!(pruned.bytes >= size, "{} of {size} were freed", pruned.bytes);
    assert_eq!(environments.prune(Keep::environments(0)).await.unwrap(), Pruned::default());
}

#[tokio::test]
async fn downloads_that_another_environment_has_stay() {
    let mut place = Place::new().await;
    let environments = place.open().await;
    let first = environments.get(&set(&["six"])).await.unwrap().id.clone();
    environments.get(&set(&["idna"])).await.unwrap();
    environments.get(&set(&["six", "attrs"])).await.unwrap();
    assert_eq!(environments.prune(Keep::environments(1)).await.unwrap().environments.len(), 2);
    place.config.offline = true;
    assert_eq!(place.get(&["six"]).await.unwrap().id, first);
    let (kind, package, _) = place.failed(&["idna"]).await;
    assert_eq!((kind, package.as_deref()), (ProblemKind::NotInCache, Some("idna")));
}

#[tokio::test]
async fn one_in_use_is_not_pruned_here_or_by_another_process() {
    let place = Place::new().await;
    let environments = place.open().await;
    let used = environments.get(&set(&["six"])).await.unwrap();
    for other in [&environments, &place.open().await] {
        assert!(other.prune(Keep::environments(0)).await.unwrap().environments.is_empty());
    }
    let id = used.id.clone();
    drop(used);
    assert_eq!(environments.prune(Keep::environments(0)).await.unwrap().environments, [id]);
}

#[tokio::test]
async fn what_a_killed_build_left_is_pruned() {
    let place = Place::new().await;
    let environments = place.open().await;
    let leftover = place.cached("environments/0123.partial-1");
    fs::create_dir_all(leftover.join("packages")).unwrap();
    environments.prune(Keep::environments(9)).await.unwrap();
    assert!(!leftover.exists());
}

#[tokio::test]
async fn the_same_environment_is_not_told_of_twice() {
    let place = Place::new().await;
    let environments = place.open().await;
    let _used = environments.get(&set(&["six"])).await.unwrap();
    let heard = Heard::default();
    environments.get_telling(&set(&["six"]), &|progress| heard.tell(progress)).await.unwrap();
    assert_eq!(heard.count(|_: &Progress| true), 0);
}
