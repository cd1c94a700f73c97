//! Whoever looks at the processes of a machine sees short names, and no program text.

use std::fs;
use std::sync::Arc;

use selfmade_sandbox::{CancellationToken, Config, Host};
use serde_json::json;

use crate::support::{Ear, World, children, config, environment, until, zygote};

/// The name and the command line of a process, as `ps` shows them.
fn shown(pid: i32) -> (String, String) {
    let read = |file: &str| String::from_utf8(fs::read(format!("/proc/{pid}/{file}")).unwrap()).unwrap();
    (read("comm").trim_end().to_owned(), read("cmdline"))
}

fn named(name: &str) -> (String, String) {
    (name.to_owned(), format!("{name}\0"))
}

#[tokio::test]
async fn zygotes_and_cells_are_shown_by_their_names() {
    let world = World::with(Config { ready_cells: 2, ..config() }, environment()).await;
    world.sandbox.prepare(&world.environment).await.unwrap();
    let cells = world.sandbox.processes().1;
    assert_eq!(cells.len(), 2);
    for cell in cells {
        assert_eq!(shown(cell), named("selfmade-cell"));
    }
    assert_eq!(shown(zygote(&world)), named("selfmade-zygote"));
}

#[tokio::test]
async fn what_a_function_starts_is_shown_by_the_name_of_its_cell() {
    let world = World::new().await;
    world.sandbox.prepare(&world.environment).await.unwrap();
    let cell = world.sandbox.processes().1[0];
    let source = "def f():\n    import os, signal\n    os.fork() or signal.pause()\n    os.wait()";
    let job = world.job(source, json!({}));
    let (ear, cancel) = (Arc::new(Ear::default()), CancellationToken::new());
    let running = world.sandbox.run(&job, Arc::clone(&ear) as Arc<dyn Host>, &cancel);
    let looking = async {
        until(|| !children(cell).is_empty()).await;
        assert_eq!(shown(children(cell)[0]), named("selfmade-cell"));
        cancel.cancel();
    };
    tokio::join!(running, looking).0.unwrap();
}
