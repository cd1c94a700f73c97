//! Shared jobs: one cell of an owner, used again for functions that expect a fresh one.

use selfmade_sandbox::{Isolation, Job};
use serde_json::json;

use crate::support::{World, is_there, returned};

fn shared(world: &World, source: &str, owner: &str) -> Job {
    let mut job = world.job(source, json!({}));
    job.isolation = Isolation::Shared { owner: owner.to_owned(), key: "a".to_owned() };
    job
}

/// Whether jobs that end alike are done by one cell: hardly any other was made for them.
async fn is_kept(world: &World, source: &str, owner: &str) -> bool {
    let job = shared(world, source, owner);
    let first = returned(world.run(&job).await.ending);
    let born = world.sandbox.census().born;
    for _ in 0..8 {
        assert_eq!(returned(world.run(&job).await.ending), first, "{source}");
    }
    world.sandbox.census().born < born + 4
}

#[tokio::test]
async fn functions_of_a_shared_cell_are_loaded_again_for_each_job() {
    let world = World::new().await;
    for (state, answer) in [
        ("n = 0\ndef f():\n    global n\n    n += 1\n    return n", json!(1)),
        ("def f(seen=[]):\n    seen.append(1)\n    return seen", json!([1])),
        ("def f():\n    f.n = getattr(f, 'n', 0) + 1\n    return f.n", json!(1)),
        (
            "import functools\n@functools.cache\ndef kept():\n    return []\ndef f():\n    kept().append(1)\n    return kept()",
            json!([1]),
        ),
        (
            "import decimal\ndecimal.getcontext().prec += 1\ndef f():\n    return decimal.getcontext().prec",
            json!(29),
        ),
        (
            "import os\nos.environ['A'] = os.environ.get('A', '') + 'x'\ndef f():\n    return os.environ['A']",
            json!("x"),
        ),
    ] {
        for _ in 0..3 {
            assert_eq!(returned(world.run(&shared(&world, state, state)).await.ending), answer, "{state}");
        }
    }
}

#[tokio::test]
async fn a_shared_cell_is_kept_after_ordinary_work() {
    let world = World::new().await;
    for source in [
        "def f():\n    return sum(range(10))",
        "import json, re, math, datetime, collections\ndef f():\n    return json.loads('[1]') + re.findall('a', 'banana')",
        "def f():\n    import urllib.parse\n    return urllib.parse.quote('ä')",
        "def f():\n    import random\n    random.random()\n    print('x')\n    return 1",
        "def f():\n    import datetime\n    return datetime.datetime.strptime('2026', '%Y').year",
    ] {
        let owner = source.len().to_string();
        assert!(is_kept(&world, source, &owner).await, "{source}");
        world.sandbox.release(&owner);
    }
}

#[tokio::test]
async fn what_a_job_hides_in_a_module_ends_a_shared_cell() {
    let world = World::new().await;
    for hide in ["json.seen", "json.__doc__", "json.JSONEncoder.seen", "math.seen"] {
        let source = format!(
            "import json, math\ndef f():\n    before = str({hide}) if hasattr({}, {:?}) else None\n    {hide} = 'hidden'\n    return before",
            hide.rsplit_once('.').unwrap().0,
            hide.rsplit_once('.').unwrap().1,
        );
        let first = returned(world.run(&shared(&world, &source, hide)).await.ending);
        assert_eq!(returned(world.run(&shared(&world, &source, hide)).await.ending), first, "{hide}");
    }
}

#[tokio::test]
async fn a_job_finds_no_value_of_the_last_one_in_a_shared_cell() {
    let world = World::new().await;
    let source = "import gc\ndef f(text=None):\n    found = [one for one in gc.get_objects() if type(one) is dict and one.get('text') == 'for ' + 'her']\n    \
                  for frame in [*__import__('sys')._current_frames().values()]:\n        while frame:\n            \
                  found += [one for one in frame.f_locals.values() if one == 'for ' + 'her']\n            frame = frame.f_back\n    \
                  return len(found)";
    let mut hers = shared(&world, source, "a");
    hers.input = selfmade_sandbox::Value::from_json(&json!({ "text": "for her" })).unwrap();
    assert_ne!(returned(world.run(&hers).await.ending), json!(0), "the search finds what is there");
    assert_eq!(returned(world.run(&shared(&world, source, "a")).await.ending), json!(0));
}

#[tokio::test]
async fn a_shared_cell_belongs_to_its_owner_and_ends_with_it() {
    let world = World::new().await;
    world.sandbox.prepare(&world.environment).await.unwrap();
    let source = "def f():\n    return 1";
    world.run(&shared(&world, source, "a")).await;
    world.run(&shared(&world, source, "b")).await;
    assert_eq!(world.sandbox.census().warm, 2, "each has its own");
    world.run(&shared(&world, source, "a")).await;
    assert_eq!(world.sandbox.census().warm, 2, "it was used again");
    let before = world.sandbox.processes().1;
    world.sandbox.release("a");
    assert_eq!(world.sandbox.census().warm, 1);
    let gone = before.iter().find(|pid| !world.sandbox.processes().1.contains(pid));
    while gone.is_some_and(|pid| is_there(*pid)) {
        tokio::task::yield_now().await;
    }
}
