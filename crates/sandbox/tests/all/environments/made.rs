//! What is in an environment that was made.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use selfmade_sandbox::environment::{PackagePolicy, Progress};

use super::{Heard, Place, set};
use crate::support::{World, config};

#[tokio::test]
async fn functions_import_what_is_required_and_nothing_else() {
    let place = Place::new().await;
    let environment = place.get(&["six", "attrs"]).await.unwrap();
    let world = World::with(config(), environment).await;
    let answer = world.returned("def f():\n    import six, attr\n    return [six.PY3, attr.__name__]").await;
    assert_eq!(answer, serde_json::json!([true, "attr"]));
    let raised = world.raised("def f():\n    import idna").await;
    assert!(raised.contains("No module named 'idna'"), "{raised}");
}

#[tokio::test]
async fn modules_are_compiled_once_and_not_in_every_cell() {
    let place = Place::new().await;
    let world = World::with(config(), place.get(&["six"]).await.unwrap()).await;
    let answer =
        world.returned("def f():\n    import os, six\n    return os.path.isfile(six.__cached__)").await;
    assert_eq!(answer, serde_json::json!(true));
}

#[tokio::test]
async fn the_modules_of_required_packages_are_preloaded_unless_others_are_named() {
    let place = Place::new().await;
    let environments = place.open().await;
    let seen = environments.get(&set(&["attrs", "six"])).await.unwrap();
    assert_eq!(seen.preload, ["attr", "attrs", "six"]);
    let named = environments.get(&set(&["attrs", "six"]).preloading(["six"])).await.unwrap();
    assert_eq!(named.preload, ["six"]);
    assert_eq!(named.id, seen.id);
}

#[tokio::test]
async fn nobody_may_write_to_it_and_everybody_may_read_it() {
    let place = Place::new().await;
    let environment = place.get(&["six"]).await.unwrap();
    let folder = &environment.site_packages[0];
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(folder), 0o555);
    assert_eq!(mode(&folder.join("six.py")), 0o444);
    assert!(!folder.join(".lock").exists());
}

#[tokio::test]
async fn the_lock_has_a_hash_for_every_package() {
    let place = Place::new().await;
    let environments = place.open().await;
    let requirements = set(&["six", "idna"]);
    assert_eq!(environments.locked(&requirements), None);
    let environment = environments.get(&requirements).await.unwrap();
    let lock = environments.locked(&requirements).unwrap();
    for name in ["idna==", "six=="] {
        let entry = lock.split_once(name).expect("it is locked").1;
        assert!(entry.lines().nth(1).unwrap().contains("--hash=sha256:"), "{lock}");
    }
    let made = environments.made(&environment.id).unwrap();
    assert_eq!(made.packages.len(), 2);
    assert!(made.bytes() > 0 && made.path_files.is_empty() && !made.uv.is_empty());
}

#[tokio::test]
async fn path_files_are_reported() {
    let place = Place::new().await;
    let environments = place.open().await;
    let environment = environments.get(&set(&["setuptools"])).await.unwrap();
    let made = environments.made(&environment.id).unwrap();
    assert_eq!(made.path_files, ["distutils-precedence.pth"]);
}

#[tokio::test]
async fn a_package_without_wheels_is_built_where_the_policy_allows_it() {
    let policy = PackagePolicy { allow_source: true, ..PackagePolicy::default() };
    let place = Place::new().await.with_policy(policy);
    let heard = Heard::default();
    let environments = place.open().await;
    let made = environments.get_telling(&set(&["docopt"]), &|progress| heard.tell(progress)).await.unwrap();
    assert!(made.site_packages[0].join("docopt.py").is_file());
    assert!(heard.count(|progress| *progress == Progress::Built { package: "docopt".into() }) > 0);
}

#[tokio::test]
async fn progress_is_reported_from_resolving_to_linking() {
    let place = Place::new().await;
    let heard = Heard::default();
    place.open().await.get_telling(&set(&["six", "idna"]), &|progress| heard.tell(progress)).await.unwrap();
    let told = heard.0.lock().unwrap();
    assert_eq!(told.first(), Some(&Progress::Resolving));
    assert!(told.contains(&Progress::Resolved { packages: 2 }), "{told:?}");
    assert!(told.contains(&Progress::Prepared { packages: 2 }), "{told:?}");
    assert_eq!(told.last(), Some(&Progress::Linked { packages: 2 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_ask_at_once_get_one_that_was_made_once() {
    let place = Place::new().await;
    let heard = Arc::new(Heard::default());
    // Two of them share nothing but the folder, as two processes do.
    let both = [Arc::new(place.open().await), Arc::new(place.open().await)];
    let tasks: Vec<_> = (0..16)
        .map(|number| {
            let (environments, heard) = (Arc::clone(&both[number % 2]), Arc::clone(&heard));
            let requirements = if number % 3 == 0 { set(&["SIX", "idna"]) } else { set(&["idna", "six"]) };
            tokio::spawn(async move {
                environments.get_telling(&requirements, &|progress| heard.tell(progress)).await
            })
        })
        .collect();
    let mut ids = Vec::new();
    for task in tasks {
        ids.push(task.await.unwrap().unwrap().id.clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    assert_eq!(heard.count(|progress| *progress == Progress::Resolving), 1);
    assert_eq!(heard.count(|progress| matches!(progress, Progress::Linked { .. })), 1);
    assert!(heard.count(|progress| *progress == Progress::Waiting) > 0);
}
