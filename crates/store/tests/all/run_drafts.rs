//! What Runs of drafts and scripts execute is stored with them, counts, and goes with them.

use model::entry::EntryKind;
use model::function::FunctionDraft;
use model::graph::{GraphContent, Node};
use model::ids::RunId;
use model::run::draft::{Code, DraftContent};
use model::run::{How, Run};
use store::testing::TestDatabase;
use store::{Durability, Prune, Started};

use crate::ending::succeeded;
use crate::runs::{node, waited};
use crate::world::{World, at, id_at};

fn content(text: &str) -> DraftContent {
    let nodes = vec![Node::new("n", "@store").with("input", text)];
    DraftContent::Graph(GraphContent {
        description: "ü \u{1f388}".to_owned(),
        nodes,
        ..GraphContent::default()
    })
}

fn code(script: &str) -> DraftContent {
    let draft = FunctionDraft::of_source(format!("def run_code():\n    return {script}\n"));
    let function = Box::new(draft.assemble(None, &|_| None).unwrap().content);
    DraftContent::Code(Code { script: script.to_owned(), function })
}

store::on_both! {
    async fn a_run_of_a_script_keeps_it(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = Run { run_id: RunId(id_at(2)), ..waited("a", node()) };
        let script = code("'ü \u{1f388}'");
        assert_eq!(world.store.start_run_of(&run, &[], Some(&script)).await.unwrap(), Started::New);
        let found = world.store.run_draft(run.run_id, run.key.kind).await.unwrap();
        assert_eq!(found, Some(script));
    }

    async fn a_run_of_a_draft_keeps_what_it_executes(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = Run { run_id: RunId(id_at(2)), ..waited("a", node()) };
        let large = content(&"x".repeat(10_000));
        assert_eq!(world.store.start_run_of(&run, &[], Some(&large)).await.unwrap(), Started::New);
        assert_eq!(world.store.run(run.run_id).await.unwrap(), Some(run.clone()));
        assert_eq!(world.store.run_draft(run.run_id, EntryKind::Graph).await.unwrap(), Some(large));
        assert!(world.store.finish_run(&succeeded(&run), Durability::Process).await.unwrap());
        let all = Prune { before: Some(at(1_000)), limit: 9, ..Prune::default() };
        let pruned = world.store.prune_runs(&all).await.unwrap();
        assert!(pruned.runs == 1 && pruned.bytes > 10_000, "{pruned:?}");
        assert_eq!(world.store.run_draft(run.run_id, EntryKind::Graph).await.unwrap(), None);
    }

    async fn a_run_that_is_started_again_keeps_what_it_had(database: &TestDatabase) {
        let world = World::open(database).await;
        let how = How { idempotency_key: Some("k".to_owned()), ..waited("a", node()).how };
        let run = Run { how, ..waited("a", node()) };
        let (script, other) = (code("1"), code("'another one'"));
        assert_eq!(world.store.start_run_of(&run, &[], Some(&script)).await.unwrap(), Started::New);
        let again = world.store.start_run_of(&run, &[], Some(&other)).await.unwrap();
        assert!(matches!(again, Started::Existing(found) if found.run_id == run.run_id));
        let found = world.store.run_draft(run.run_id, run.key.kind).await.unwrap();
        assert_eq!(found, Some(script));
    }

    async fn a_second_run_with_the_same_key_leaves_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        let keyed = || {
            let how = How { idempotency_key: Some("k".to_owned()), ..waited("a", node()).how };
            Run { how, ..waited("a", node()) }
        };
        let (first, second) = (keyed(), keyed());
        let (draft, other) = (content("first"), content("second"));
        assert_eq!(world.store.start_run_of(&first, &[], Some(&draft)).await.unwrap(), Started::New);
        let again = world.store.start_run_of(&second, &[], Some(&other)).await.unwrap();
        assert!(matches!(again, Started::Existing(found) if found.run_id == first.run_id));
        assert_eq!(world.store.run_draft(first.run_id, EntryKind::Graph).await.unwrap(), Some(draft));
        assert_eq!(world.store.run_draft(second.run_id, EntryKind::Graph).await.unwrap(), None);
    }
}
