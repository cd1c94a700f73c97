//! The only way out of a cell: a listener on its own loopback, served from outside.

use std::any::Any;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use selfmade_sandbox::{CancellationToken, Egress, EgressPolicy, Job, NoHost, Sandbox};
use serde_json::json;

use crate::support::{World, config, environment, returned};

/// Answers every connection with the first host of the policy.
struct Echo;

impl Egress for Echo {
    fn serve(&self, listener: OwnedFd, policy: &EgressPolicy) -> std::io::Result<Box<dyn Any + Send>> {
        let (listener, host) = (TcpListener::from(listener), policy.hosts[0].clone());
        let serving = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 4];
            stream.read_exact(&mut asked).unwrap();
            stream.write_all(host.as_bytes()).unwrap();
        });
        Ok(Box::new(serving))
    }

    fn ca_bundle_pem(&self) -> &str {
        ""
    }
}

const ASK: &str = "def f():\n    import os, socket\n    host, port = os.environ['HTTP_PROXY'][7:].split(':')\n    \
                   s = socket.create_connection((host, int(port)))\n    s.sendall(b'host')\n    return s.recv(100).decode()";

async fn world() -> World {
    let mut world = World::new().await;
    world.sandbox = Sandbox::start_with(config(), Some(Arc::new(Echo))).await.unwrap();
    world
}

fn with_policy(world: &World) -> Job {
    let mut job = world.job(ASK, json!({}));
    job.egress = Some(EgressPolicy { hosts: vec!["example.com".to_owned()], ..EgressPolicy::default() });
    job
}

#[tokio::test]
async fn a_job_with_a_policy_reaches_the_proxy_and_nothing_else() {
    let world = world().await;
    assert_eq!(returned(world.run(&with_policy(&world)).await.ending), json!("example.com"));
    let other = "def f():\n    import socket\n    s = socket.socket()\n    s.bind(('127.0.0.1', 0)); s.listen()\n    \
                 socket.create_connection(s.getsockname())";
    let mut job = world.job(other, json!({}));
    job.egress = with_policy(&world).egress;
    let told = format!("{:?}", world.run(&job).await.ending);
    assert!(told.contains("PermissionError"), "{told}");
}

#[tokio::test]
async fn the_next_cell_does_not_inherit_the_way_out() {
    let world = world().await;
    world.run(&with_policy(&world)).await;
    let source = "def f():\n    import socket\n    try: socket.create_connection(('127.0.0.1', 3128))\n    \
                  except OSError: return 'no way out'";
    for _ in 0..4 {
        assert_eq!(world.returned(source).await, json!("no way out"));
    }
}

#[tokio::test]
async fn a_policy_without_anyone_to_keep_it_is_refused() {
    let world = World::with(config(), environment()).await;
    let refused = world.sandbox.run(&with_policy(&world), Arc::new(NoHost), &CancellationToken::new()).await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        "cannot open network access for a cell: this sandbox was started without one"
    );
}
