//! Functions that were run before are not compiled again. A function cannot see that, unless it takes the compiler away
//! before it calls another one.

use std::sync::Arc;

use selfmade_sandbox::{Ending, Job};
use serde_json::json;

use crate::support::World;

const TOP: &str = "def top():\n    import builtins\n    kept, builtins.compile = builtins.compile, None\n    \
                   try:\n        return leaf()\n    finally:\n        builtins.compile = kept";

/// Runs the job until `leaf` is loaded without the compiler, and says how that ended.
async fn compiled(world: &World, job: &Job) -> Ending {
    for _ in 0..1000 {
        match world.run(job).await.ending {
            Ending::Raised(error) if error.message.contains("'NoneType' object is not callable") => {}
            other => return other,
        }
    }
    panic!("it was never compiled ahead");
}

#[tokio::test]
async fn a_function_that_is_run_again_is_not_compiled_again() {
    let world = World::new().await;
    let job = world.job_of(&[("top", TOP), ("leaf", "def leaf():\n    return 'from code'")], json!({}));
    assert!(matches!(world.run(&job).await.ending, Ending::Raised(_)), "nobody has compiled it yet");
    assert_eq!(compiled(&world, &job).await, Ending::Returned("from code".into()));
}

#[tokio::test]
async fn a_traceback_through_compiled_code_shows_the_source() {
    let world = World::new().await;
    let leaf = "def leaf():\n    # A comment.\n    raise ValueError('no luck')";
    let Ending::Raised(error) =
        compiled(&world, &world.job_of(&[("top", TOP), ("leaf", leaf)], json!({}))).await
    else {
        panic!("it should have raised")
    };
    assert_eq!(error.type_name, "ValueError");
    let line = "  File \"leaf@1\", line 3, in leaf\n    raise ValueError('no luck')\n";
    assert!(error.traceback.contains(line), "{}", error.traceback);
}

#[tokio::test]
async fn lines_that_nobody_wrote_are_not_counted() {
    let world = World::new().await;
    let leaf = "def leaf():\n    def inner():\n        raise ValueError('no luck')\n    inner()";
    let mut job = world.job_of(&[("leaf", leaf)], json!({}));
    Arc::get_mut(&mut job.closure).unwrap().functions[0].lines_above = 1;
    // It is compiled ahead once it has been run twice.
    for _ in 0..5 {
        let Ending::Raised(error) = world.run(&job).await.ending else { panic!("it should have raised") };
        for line in [
            "  File \"leaf@1\", line 3, in leaf\n    inner()\n",
            "  File \"leaf@1\", line 2, in inner\n    raise ValueError('no luck')\n",
        ] {
            assert!(error.traceback.contains(line), "{}", error.traceback);
        }
    }
}

#[tokio::test]
async fn a_source_that_does_not_compile_says_so_every_time() {
    let world = World::new().await;
    for _ in 0..5 {
        assert_eq!(world.raised("def f(:\n    pass").await, "SyntaxError: invalid syntax (f@1, line 1)");
    }
}

#[tokio::test]
async fn the_same_name_with_another_source_is_another_code() {
    let world = World::new().await;
    let job = |leaf: &str| world.job_of(&[("top", TOP), ("leaf", leaf)], json!({}));
    for n in [1, 2] {
        let ending = compiled(&world, &job(&format!("def leaf():\n    return {n}"))).await;
        assert_eq!(ending, Ending::Returned(n.into()));
    }
}
