//! Drafts of Graphs: one of a name, edited by one editor at a time, seen by those who may touch the name.

use model::access::actor::Actor;
use model::access::scope::Scope;
use model::graph::GraphContent;
use model::graph::Node;
use model::graph::draft::{Draft, Edit, Touched};
use model::graph::patch::Patch;
use model::ids::RunId;
use model::version::VersionNumber;
use serde_json::json;
use store::testing::TestDatabase;
use store::{Error, GraphPin};

use crate::world::{World, at, id, name, names as names_of};

fn draft(text: &str) -> Draft {
    Draft {
        name: name(text),
        base: Some(VersionNumber(3)),
        edit: 0,
        content: GraphContent { description: "ü \u{1f388}".to_owned(), ..GraphContent::default() },
        created_at: at(1),
        updated_at: at(1),
    }
}

/// The draft after one more edit, and the edit.
fn edited(before: &Draft) -> (Draft, Edit) {
    let node = Node::new(&format!("n{}", before.edit), "@store").with("input", "\0 is kept");
    let patch = Patch::Add { node, at: None };
    let mut after = before.clone();
    after.content.patch(patch.clone()).unwrap();
    after.edit += 1;
    after.updated_at = at(1 + i64::try_from(after.edit).unwrap());
    let touched = Touched { nodes: [format!("n{}", before.edit)].into(), ..Touched::default() };
    let edit = Edit {
        authority: Some(model::access::Authority::of_command_line()),
        number: after.edit,
        actor: Actor::CommandLine,
        at: after.updated_at,
        patches: vec![patch],
        touched,
        rebased_on: None,
    };
    (after, edit)
}

store::on_both! {
    async fn kept_edits_take_so_many_bytes_and_the_last_is_always_kept(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut draft = draft("g");
        world.store.add_graph_draft(&draft).await.unwrap();
        for _ in 0..5 {
            let (after, mut edit) = edited(&draft);
            let (node, pin, value) = ("n0".to_owned(), "input".to_owned(), "x".repeat(30 << 20).into());
            edit.patches = vec![Patch::Set { node, pin, value }];
            world.store.edit_graph_draft(&after, &edit, None).await.unwrap();
            draft = after;
        }
        let kept = world.store.graph_draft_touched(&name("g"), 0).await.unwrap();
        assert_eq!(kept.iter().map(|edit| edit.number).collect::<Vec<_>>(), [4, 5]);
    }

    async fn a_draft_and_its_edits_are_read_as_they_were_written(database: &TestDatabase) {
        let world = World::open(database).await;
        let begun = draft("g");
        world.store.add_graph_draft(&begun).await.unwrap();
        assert_eq!(world.store.graph_draft(&name("g")).await.unwrap(), Some(begun.clone()));
        assert_eq!(world.store.graph_draft(&name("other")).await.unwrap(), None);
        let (once, first) = edited(&begun);
        let (twice, second) = edited(&once);
        world.store.edit_graph_draft(&once, &first, None).await.unwrap();
        world.store.edit_graph_draft(&twice, &second, None).await.unwrap();
        assert_eq!(world.store.graph_draft(&name("g")).await.unwrap(), Some(twice));
        assert_eq!(world.store.graph_draft_edits(&name("g"), 0).await.unwrap(), [first, second.clone()]);
        let touched = Edit { patches: Vec::new(), ..second.clone() };
        assert_eq!(world.store.graph_draft_touched(&name("g"), 1).await.unwrap(), [touched]);
        assert_eq!(world.store.graph_draft_edits(&name("g"), 1).await.unwrap(), [second]);
        // A number that no column holds is one that nothing comes after.
        assert!(world.store.graph_draft_touched(&name("g"), u64::MAX).await.unwrap().is_empty());
        assert!(world.store.graph_draft_edits(&name("g"), u64::MAX).await.unwrap().is_empty());
    }

    async fn of_two_editors_the_second_is_told_and_changes_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        let begun = draft("g");
        world.store.add_graph_draft(&begun).await.unwrap();
        let again = world.store.add_graph_draft(&begun).await.unwrap_err();
        assert!(matches!(again, Error::Unique { .. }), "{again}");
        let (once, first) = edited(&begun);
        world.store.edit_graph_draft(&once, &first, None).await.unwrap();
        let before = database.dump().await;
        let late = world.store.edit_graph_draft(&once, &first, None).await.unwrap_err();
        assert!(matches!(late, Error::GuardFailed { .. }), "{late}");
        assert!(!world.store.remove_graph_draft(&name("g"), Some(0)).await.unwrap());
        assert_eq!(database.dump().await, before);
        assert!(world.store.remove_graph_draft(&name("g"), Some(1)).await.unwrap());
        assert!(!world.store.remove_graph_draft(&name("g"), None).await.unwrap());
        assert!(world.store.graph_draft_edits(&name("g"), 0).await.unwrap().is_empty());
    }

    async fn an_edit_and_the_draft_that_it_makes_come_together_or_not_at_all(database: &TestDatabase) {
        let world = World::open(database).await;
        let begun = draft("g");
        world.store.add_graph_draft(&begun).await.unwrap();
        let (once, first) = edited(&begun);
        world.store.edit_graph_draft(&once, &first, Some(&draft("part"))).await.unwrap();
        assert_eq!(world.store.graph_draft(&name("part")).await.unwrap(), Some(draft("part")));
        let before = database.dump().await;
        let (twice, second) = edited(&once);
        let taken = world.store.edit_graph_draft(&twice, &second, Some(&draft("part"))).await.unwrap_err();
        assert!(matches!(taken, Error::Unique { .. }), "{taken}");
        assert_eq!(database.dump().await, before);
    }

    async fn several_drafts_begin_together_or_none_does(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.add_graph_drafts(&[draft("a"), draft("b")]).await.unwrap();
        let before = database.dump().await;
        let taken = world.store.add_graph_drafts(&[draft("c"), draft("b")]).await.unwrap_err();
        assert!(matches!(taken, Error::Unique { .. }), "{taken}");
        assert_eq!(database.dump().await, before);
        assert_eq!(world.store.graph_drafts(None, 9, &Scope::All).await.unwrap(), [draft("a"), draft("b")]);
    }

    async fn drafts_are_listed_by_name_within_a_scope(database: &TestDatabase) {
        let world = World::open(database).await;
        for text in ["web.b", "a", "web.a", "z"] {
            world.store.add_graph_draft(&draft(text)).await.unwrap();
        }
        let names = |drafts: Vec<Draft>| drafts.iter().map(|draft| draft.name.to_string()).collect::<Vec<_>>();
        let all = world.store.graph_drafts(None, 3, &Scope::All).await.unwrap();
        assert_eq!(names(all), ["a", "web.a", "web.b"]);
        let rest = world.store.graph_drafts(Some("web.a"), 10, &Scope::All).await.unwrap();
        assert_eq!(names(rest), ["web.b", "z"]);
        let scope = names_of(&["web.*"]);
        assert_eq!(names(world.store.graph_drafts(None, 10, &scope).await.unwrap()), ["web.a", "web.b"]);
    }

    async fn pinned_outputs_belong_to_a_draft_and_go_with_it(database: &TestDatabase) {
        let world = World::open(database).await;
        let pin = |node: &str, value: i64| GraphPin {
            node: node.to_owned(),
            outputs: [("output".to_owned(), vec![json!(value), json!(null)])].into(),
            run: (value > 1).then(|| RunId(id())),
            at: at(value),
        };
        assert!(!world.store.pin_graph_node(&name("g"), &pin("a", 1)).await.unwrap(), "there is no draft");
        world.store.add_graph_draft(&draft("g")).await.unwrap();
        let (first, second) = (pin("b", 1), pin("a", 2));
        for pin in [&first, &pin("a", 1), &second] {
            assert!(world.store.pin_graph_node(&name("g"), pin).await.unwrap());
        }
        assert_eq!(world.store.graph_pins(&name("g")).await.unwrap(), [second.clone(), first]);
        assert!(world.store.unpin_graph_node(&name("g"), "b").await.unwrap());
        assert!(!world.store.unpin_graph_node(&name("g"), "b").await.unwrap());
        assert!(!world.store.remove_graph_draft(&name("g"), Some(7)).await.unwrap());
        assert_eq!(world.store.graph_pins(&name("g")).await.unwrap(), [second], "a draft that stays keeps them");
        assert!(world.store.remove_graph_draft(&name("g"), Some(0)).await.unwrap());
        assert_eq!(world.store.graph_pins(&name("g")).await.unwrap(), []);
    }
}
