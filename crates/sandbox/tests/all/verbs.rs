//! Host verbs, as functions use them through `import selfmade`.

use selfmade_sandbox::{Config, Ending, Value, VerbSignature};
use serde_json::json;

use crate::support::{World, config, environment, returned};

fn grant(world: &World, source: &str) -> selfmade_sandbox::Job {
    let mut job = world.job(source, json!({}));
    job.verbs = ["echo", "model.chat", "forbidden", "costly"].map(str::to_owned).into();
    job.secrets = [("API_KEY".to_owned(), "s3cret".to_owned())].into();
    job
}

#[tokio::test]
async fn a_verb_is_a_function_that_the_host_answers() {
    let world = World::new().await;
    let job = grant(
        &world,
        "def f():\n    from selfmade import echo\n    return echo({'t': (1, b'x')}, why='test')",
    );
    assert_eq!(
        returned(world.run(&job).await.ending),
        json!({ "t": { "$tuple": [1, { "$bytes": "eA==" }] } })
    );
    let verbs = world.ear.verbs.lock().unwrap();
    assert_eq!(verbs[0].1.named["why"], Value::Str("test".to_owned()));
}

#[tokio::test]
async fn what_the_host_refuses_or_fails_is_raised() {
    let world = World::new().await;
    let source = "def f():\n    import selfmade\n    try: selfmade.forbidden()\n    except PermissionError as e: first = str(e)\n    \
                  try: selfmade.model.chat('hi')\n    except selfmade.Failed as e: second = str(e)\n    \
                  try: selfmade.costly()\n    except selfmade.BudgetExhausted as e: return [first, second, str(e)]";
    let job = grant(&world, source);
    assert_eq!(
        returned(world.run(&job).await.ending),
        json!(["not on a Sunday", "the model did not answer", "of $0.50, all is spent"])
    );
}

#[tokio::test]
async fn what_is_not_granted_is_refused_inside_and_outside() {
    let world = World::new().await;
    let job = grant(&world, "def f():\n    from selfmade import brain\n    brain.search('x')");
    let Ending::Raised(error) = world.run(&job).await.ending else { panic!() };
    assert_eq!(error.type_name, "selfmade.Refused");
    assert_eq!(error.message, "`brain.search` is not granted to this function, or there is no such verb");
    let forged = "def f():\n    import selfmade, sys\n    c = selfmade.echo.__closure__\n    \
                  verbs = [x.cell_contents for x in c if hasattr(x.cell_contents, 'ask')][0]\n    verbs.ask('never', (), {})";
    let Ending::Raised(error) = world.run(&grant(&world, forged)).await.ending else { panic!() };
    assert_eq!(error.message, "this verb is not granted to this function");
    assert!(world.ear.verbs.lock().unwrap().is_empty());
}

#[tokio::test]
async fn an_argument_that_cannot_be_carried_is_a_clear_error() {
    let world = World::new().await;
    let job = grant(&world, "def f():\n    import selfmade\n    selfmade.echo(1, tool=print)");
    let Ending::Raised(error) = world.run(&job).await.ending else { panic!() };
    assert_eq!(
        error.message,
        "argument `tool` of `echo` is a `builtin_function_or_method`, which cannot leave the cell; use plain data"
    );
}

#[tokio::test]
async fn secrets_are_read_by_name() {
    let world = World::new().await;
    let job = grant(
        &world,
        "def f():\n    from selfmade import secrets\n    return [secrets.API_KEY, secrets['API_KEY'], repr(secrets)]",
    );
    assert_eq!(returned(world.run(&job).await.ending), json!(["s3cret", "s3cret", "<secrets: API_KEY>"]));
    let job = grant(&world, "def f():\n    from selfmade import secrets\n    return secrets.OTHER");
    let Ending::Raised(error) = world.run(&job).await.ending else { panic!() };
    assert_eq!(
        error.message,
        "the secret `OTHER` is not granted to this function; declare it with `secrets=[\"OTHER\"]`"
    );
}

#[tokio::test]
async fn verbs_of_several_threads_are_answered_to_the_right_one() {
    let world = World::new().await;
    let source = "def f():\n    from concurrent.futures import ThreadPoolExecutor\n    from selfmade import echo\n    \
                  with ThreadPoolExecutor(8) as pool: return list(pool.map(echo, range(200)))";
    let job = grant(&world, source);
    assert_eq!(returned(world.run(&job).await.ending), json!((0..200).collect::<Vec<_>>()));
}

async fn with_signatures() -> World {
    let echo = VerbSignature {
        name: "echo",
        parameters: "value: str, why=None".to_owned(),
        description: "the \"value\"",
    };
    let chat = VerbSignature {
        name: "model.chat",
        parameters: "prompt: str, /, *args, **kwargs".to_owned(),
        description: "an answer",
    };
    World::with(Config { verbs: vec![echo, chat], ..config() }, environment()).await
}

#[tokio::test]
async fn a_verb_is_called_and_explained_like_any_function() {
    let world = with_signatures().await;
    let source = "def f():\n    import inspect, pydoc, selfmade\n    \
                  return [pydoc.plain(pydoc.render_doc(selfmade.echo)), str(inspect.signature(selfmade.model.chat))]";
    assert_eq!(
        returned(world.run(&grant(&world, source)).await.ending),
        json!([
            "Python Library Documentation: function echo in module selfmade\n\necho(value: str, why=None)\n    Returns the \"value\".\n",
            "(prompt: str, /, *args, **kwargs)"
        ])
    );
    let source = "def f():\n    import selfmade\n    return selfmade.echo(why=1, value=2)";
    assert_eq!(returned(world.run(&grant(&world, source)).await.ending), json!(null));
    let (_, asked) = world.ear.verbs.lock().unwrap().pop().unwrap();
    assert!(asked.positional.is_empty() && asked.named.len() == 2, "it is sent as it is written: {asked:?}");
}

#[tokio::test]
async fn arguments_that_a_verb_does_not_take_are_a_type_error_and_are_not_sent() {
    let world = with_signatures().await;
    for (call, message) in [
        ("echo()", "echo() missing 1 required positional argument: 'value'"),
        ("echo(1, 2, 3)", "echo() takes from 1 to 2 positional arguments but 3 were given"),
        ("model.chat(prompt=1)", "model.chat() missing 1 required positional argument: 'prompt'"),
    ] {
        let job = grant(&world, &format!("def f():\n    import selfmade\n    selfmade.{call}"));
        let Ending::Raised(error) = world.run(&job).await.ending else { panic!() };
        assert_eq!((error.type_name.as_str(), error.message.as_str()), ("TypeError", message));
        assert!(!error.traceback.contains("_cell_"), "{}", error.traceback);
    }
    assert!(world.ear.verbs.lock().unwrap().is_empty());
}
