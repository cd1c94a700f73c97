//! A machine without user namespaces: refused, unless a weaker sandbox is allowed. Such a machine is made here by taking
//! namespaces away inside one.

use std::process::Command;
use std::sync::Arc;

use selfmade_sandbox::{CancellationToken, Config, Ending, NoHost, Sandbox};
use serde_json::json;

use crate::egress_proxy;
use crate::support::{World, config, environment, returned};

/// Runs one of the ignored tests below where no user namespace can be made.
fn without_namespaces(test: &str) {
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" --ignored --exact \"$1\"";
    #[allow(clippy::disallowed_methods, reason = "the suite itself, on a poorer machine")]
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .arg(test)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("1 passed"), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_machine_without_namespaces_is_refused_with_advice() {
    without_namespaces("weaker::refused");
}

#[test]
fn a_weaker_sandbox_still_filters_calls_and_files() {
    without_namespaces("weaker::allowed");
}

#[test]
fn a_weaker_sandbox_has_no_way_out_and_says_why() {
    without_namespaces("weaker::closed");
}

#[tokio::test]
#[ignore = "runs where there are no namespaces"]
async fn closed() {
    let outside = egress_proxy::world::World::new();
    let config = Config { allow_weaker: true, ..config() };
    let sandbox = Sandbox::start_with(config, Some(outside.proxy)).await.unwrap();
    let world = World { sandbox, ear: Arc::default(), environment: environment() };
    let mut job = world.job("def f():\n    return 'weak'", json!({}));
    job.egress = Some(egress_proxy::world::policy(&[]));
    for _ in 0..2 {
        let refused = world.sandbox.run(&job, Arc::new(NoHost), &CancellationToken::new()).await.unwrap_err();
        assert!(refused.to_string().contains("this machine supports no namespaces"), "{refused}");
    }
    job.egress = None;
    assert_eq!(returned(world.run(&job).await.ending), json!("weak"));
}

#[tokio::test]
#[ignore = "runs where there are no namespaces"]
async fn refused() {
    let Err(error) = Sandbox::start(config()).await else { panic!("it should have refused") };
    let told = error.to_string();
    assert!(told.contains("user namespace") && told.contains("sysctl user.max_user_namespaces"), "{told}");
}

#[tokio::test]
#[ignore = "runs where there are no namespaces"]
async fn allowed() {
    let world = World::with(Config { allow_weaker: true, ..config() }, environment()).await;
    assert_eq!(world.returned("def f():\n    return 'weak'").await, json!("weak"));
    let refused = world.raised("def f():\n    open('/etc/hostname').read()").await;
    assert!(refused.starts_with("PermissionError"), "{refused}");
    let refused =
        world.raised("def f():\n    import socket\n    socket.socket(socket.AF_INET, socket.SOCK_RAW)").await;
    assert!(refused.starts_with("PermissionError"), "{refused}");
    let mut job = world.job("def f():\n    import os, time\n    os.fork()\n    time.sleep(60)", json!({}));
    job.limits.wall = std::time::Duration::from_millis(200);
    assert!(matches!(world.run(&job).await.ending, Ending::TimedOut { .. }));
}
