//! Why an environment cannot be made, in words that name the package.

use std::fs;

use selfmade_sandbox::environment::{Error, PackagePolicy, ProblemKind, Rule};

use super::{Place, set};

async fn refused(policy: PackagePolicy, requirements: &[&str]) -> (String, Rule, bool) {
    let place = Place::new().await.with_policy(policy);
    match place.get(requirements).await {
        Err(Error::Refused { package, rule, direct }) => (package, rule, direct),
        other => panic!("it should have been refused: {other:?}"),
    }
}

#[tokio::test]
async fn an_unknown_package_is_named() {
    let (kind, package, sentence) = Place::new().await.failed(&["selfmade-no-such-package"]).await;
    assert_eq!(kind, ProblemKind::UnknownPackage);
    assert_eq!(package.as_deref(), Some("selfmade-no-such-package"));
    assert_eq!(sentence, "the package `selfmade-no-such-package` is not in the index; check its spelling");
}

#[tokio::test]
async fn a_version_that_does_not_exist_is_named() {
    let (kind, package, sentence) = Place::new().await.failed(&["six==99.9"]).await;
    assert_eq!((kind, package.as_deref()), (ProblemKind::NoMatchingVersion, Some("six")));
    assert!(sentence.contains("six==99.9"), "{sentence}");
}

#[tokio::test]
async fn a_package_without_wheels_is_refused() {
    let (kind, package, sentence) = Place::new().await.failed(&["docopt"]).await;
    assert_eq!((kind, package.as_deref()), (ProblemKind::NoWheel, Some("docopt")));
    assert!(sentence.contains("building from source is not allowed"), "{sentence}");
}

#[tokio::test]
async fn a_forbidden_package_is_refused_before_anything_is_fetched() {
    let policy = PackagePolicy { forbidden: vec!["s*x".into()], ..PackagePolicy::default() };
    let place = Place::without_uv().with_policy(policy);
    let error = place.get(&["six"]).await.unwrap_err();
    assert_eq!(error.to_string(), "the package `six` is refused: the policy forbids `s*x`");
}

#[tokio::test]
async fn a_forbidden_package_is_refused_when_another_needs_it() {
    let policy = PackagePolicy { forbidden: vec!["six".into()], ..PackagePolicy::default() };
    let rule = Rule::Forbidden { pattern: "six".into() };
    assert_eq!(refused(policy, &["python-dateutil==2.9.0.post0"]).await, ("six".to_owned(), rule, false));
}

#[tokio::test]
async fn what_another_needs_must_be_allowed_too() {
    let policy = PackagePolicy { allowed: Some(vec!["python-*".into()]), ..PackagePolicy::default() };
    assert_eq!(
        refused(policy, &["python-dateutil==2.9.0.post0"]).await,
        ("six".to_owned(), Rule::NotAllowed, false)
    );
}

#[tokio::test]
async fn releases_that_are_too_young_are_not_seen() {
    let young = PackagePolicy { minimum_age_days: 36_500, ..PackagePolicy::default() };
    let (kind, package, _) = Place::new().await.with_policy(young).failed(&["idna"]).await;
    assert_eq!((kind, package.as_deref()), (ProblemKind::TooYoung, Some("idna")));
    let aged = PackagePolicy { minimum_age_days: 2000, ..PackagePolicy::default() };
    let mut place = Place::new().await.with_policy(aged);
    let old = place.get(&["idna"]).await.unwrap();
    place.config.policy = PackagePolicy::default();
    assert_ne!(place.get(&["idna"]).await.unwrap().id, old.id);
}

#[tokio::test]
async fn a_package_that_does_not_have_its_locked_hash_is_refused() {
    let place = Place::new().await;
    place.get(&["six"]).await.unwrap();
    let lock = fs::read_dir(place.cached("locks")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&lock).unwrap();
    let forged: String = text.lines().map(|line| forge(line) + "\n").collect();
    fs::write(&lock, forged).unwrap();
    let (kind, package, _) = place.failed(&["six"]).await;
    assert_eq!((kind, package.as_deref()), (ProblemKind::HashMismatch, Some("six")));
}

fn forge(line: &str) -> String {
    match line.split_once("sha256:") {
        Some((before, hash)) => format!("{before}sha256:{}{}", "0".repeat(8), &hash[8..]),
        None => line.to_owned(),
    }
}

#[tokio::test]
async fn offline_what_is_missing_is_named() {
    let mut place = Place::new().await;
    place.config.offline = true;
    let (kind, package, sentence) = place.failed(&["six"]).await;
    assert_eq!((kind, package.as_deref()), (ProblemKind::NotInCache, Some("six")));
    assert!(sentence.contains("while offline"), "{sentence}");
}

#[tokio::test]
async fn an_index_that_cannot_be_reached_is_named_as_such() {
    let mut place = Place::new().await;
    // Nothing listens on the first port.
    place.config.index = Some("http://127.0.0.1:1/simple/".to_owned());
    place.config.variables.insert("UV_HTTP_RETRIES".to_owned(), "0".to_owned());
    let (kind, package, _) = place.failed(&["six"]).await;
    assert_eq!((kind, package.as_deref()), (ProblemKind::Network, Some("six")));
}

#[tokio::test]
async fn a_failure_is_not_remembered() {
    let place = Place::new().await;
    let environments = place.open().await;
    assert!(environments.get(&set(&["six==99.9"])).await.is_err());
    assert!(environments.get(&set(&["six"])).await.is_ok());
    assert!(environments.get(&set(&["six==99.9"])).await.is_err());
}
