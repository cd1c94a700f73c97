//! What stays in the cache, what is repaired there, and what is taken away.

use std::fs;

use selfmade_sandbox::environment::{Keep, Progress};

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
    place.config.offline = true;
    let environments = place.open().await;
    assert_eq!(environments.prune(Keep::environments(0)).await.unwrap().environments, [made.as_str()]);
    assert_eq!(environments.get(&set(&["six"])).await.unwrap().id, made);
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
    fs::set_permissions(&made.site_packages[0], std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
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
