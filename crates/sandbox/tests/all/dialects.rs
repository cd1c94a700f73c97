//! Functions in BabyAGI's habits.

use selfmade_sandbox::{Closure, Dialect, Function, Job};
use serde_json::json;

use crate::support::{World, returned};

fn babyagi(world: &World, source: &str, imports: &[&str]) -> Job {
    let mut function = Function::new("f", "1", source);
    function.dialect = Dialect::Babyagi;
    function.imports = imports.iter().map(ToString::to_string).collect();
    function.secrets = vec!["api_key".to_owned(), "math".to_owned()];
    let mut job = world.job("", json!({}));
    job.secrets = ["api_key", "math", "other"].map(|name| (name.to_owned(), "s3cret".to_owned())).into();
    job.closure = Closure { functions: vec![function], entry: 0 }.into();
    job
}

#[tokio::test]
async fn declared_imports_and_granted_secrets_are_globals() {
    let world = World::new().await;
    let source =
        "def f():\n    return [math.floor(2.5), os.path.join('a', 'b'), api_key, 'other' in globals()]";
    let job = babyagi(&world, source, &["math", "os.path"]);
    assert_eq!(returned(world.run(&job).await.ending), json!([2, "a/b", "s3cret", false]));
}

#[tokio::test]
async fn datetime_is_the_class_unless_the_source_means_the_module() {
    let world = World::new().await;
    let job = babyagi(&world, "def f():\n    return datetime.now().year > 2000", &["datetime"]);
    assert_eq!(returned(world.run(&job).await.ending), json!(true));
    let job = babyagi(&world, "def f():\n    return datetime.datetime.now().year > 2000", &["datetime"]);
    assert_eq!(returned(world.run(&job).await.ending), json!(true));
}
