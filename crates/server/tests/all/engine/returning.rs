//! What is returned, compared with the annotation.

use model::function::run_options::Record;
use model::run::{Ending, RunState};
use sandbox::Value;
use store::on_both;
use store::testing::TestDatabase;

use super::script::{Stage, empty};

/// Two functions that say `-> int` and return a text.
async fn wrong(database: &TestDatabase) -> Stage {
    let stage = Stage::open(database).await;
    stage.register("import selfmade\n\n@selfmade.function\ndef warns() -> int:\n    ...\n").await;
    stage
        .register("import selfmade\n\n@selfmade.function(returns=\"error\")\ndef fails() -> int:\n    ...\n")
        .await;
    for name in ["warns", "fails"] {
        stage.script.part(name, |_, _| async { Ok(Value::Str("seven".to_owned())) });
    }
    stage
}

on_both! {
    async fn a_wrong_type_is_a_recorded_warning(database: &TestDatabase) {
        let stage = wrong(database).await;
        let run = stage.start("warns", empty()).await.unwrap();
        assert_eq!((run.state, run.how.record), (RunState::Succeeded, Record::All));
        let printed = stage.ctx.store.output(run.run_id).await.unwrap();
        let printed: String = printed.into_iter().map(|chunk| chunk.text).collect();
        assert!(printed.starts_with("warning: it returned what its annotation `-> int` does not allow: `output` must be "), "{printed}");
        assert!(printed.ends_with("not the string `seven`\n"), "{printed}");
    }

    async fn a_wrong_type_fails_the_run_if_the_function_says_so(database: &TestDatabase) {
        let stage = wrong(database).await;
        let run = stage.start("fails", empty()).await.unwrap();
        assert_eq!((run.state, run.ending, run.output), (RunState::Failed, Some(Ending::Returned), None));
        assert_eq!(run.error.unwrap().type_name, "WrongReturn");
    }

    async fn what_fits_is_returned_without_a_word(database: &TestDatabase) {
        let stage = wrong(database).await;
        stage.script.part("warns", |_, _| async { Ok(Value::Int(7)) });
        let run = stage.start("warns", empty()).await.unwrap();
        assert!(stage.ctx.store.output(run.run_id).await.unwrap().is_empty());
    }
}
