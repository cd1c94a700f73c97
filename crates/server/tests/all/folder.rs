//! A brain as a folder of files, and back.

use std::collections::BTreeMap;

use model::access::scope::Scope;
use model::content::Content;
use model::entry::EntryKind;
use model::function::FunctionDraft;
use model::graph::{GraphContent, Link, Node};
use model::python::{Declared, Dialect};
use model::revision::Revision;
use model::version::{ContentHash, VersionNumber};
use serde_json::json;
use server::app::changesets::drafts::Intent;
use server::app::folder::{Import, export, import};
use server::app::packs::TextFile;
use store::EntryPage;
use store::testing::TestDatabase;

use crate::world::{ME, World, answering, decorated, delete, name, schedule, source, trigger};

/// One function for each thing that can be stated.
const STATED: &[&str] = &[
    "@selfmade.function(description=\"Says \\\"hi\\\"\\n\\ttwice \\\\ \u{1f388} \\u202e\\x00\")\ndef described():\n    return 1\n",
    "@selfmade.function(description=\"\")\ndef undescribed():\n    \"\"\"A docstring.\n\n    With more.\n    \"\"\"\n    return 1\n",
    "@selfmade.function(network=[\"b.example\", \"*.a.example:8443\"], secrets=[\"k2\", \"k1\"], model=True, brain=\"propose\", files=True, storage=\"read\", timeout=2.0065, memory=\"256MiB\", processes=4)\ndef granted():\n    return 1\n",
    "@selfmade.function(brain=\"read\", timeout=86400, memory=123456789)\ndef limited():\n    return 1\n",
    "@selfmade.function(requirements=[\"httpx[http2]>=0.27,<1\", \"bs4=beautifulsoup4>=4.12\"])\ndef requiring():\n    import httpx, bs4, yaml\n    return httpx, bs4, yaml\n",
    "@selfmade.function(dependencies=[\"described@1\", \"granted as g\", \"air.table as t\"])\ndef depending():\n    return described(), g(), t(), limited()\n",
    "@selfmade.function(tests=[{\"name\": \"n\", \"input\": {\"x\": 1}, \"expect\": {\"output\": None}}, {\"input\": {\"x\": [1.5, \"ü\", True, None, {\"k\": -1e300}]}, \"expect\": {\"error\": {\"type\": \"ValueError\"}}, \"mocks\": [{\"function\": \"described\", \"output\": {}}]}, {\"input\": {\"x\": 0}, \"expect\": {\"schema\": {\"type\": \"integer\"}}}])\ndef tested(x):\n    return x\n",
    "@selfmade.function(metadata={\"a\": [1, 2.5, None, True, {\"deep\": \"väl\\nue\"}], \"b\": \"x\" * 0 if False else \"y\"})\ndef noted():\n    return 1\n",
    "@selfmade.function\nasync def sleepy(a, /, b: int = 3, *rest: str, c: float | None = None, **more):\n    return a\n",
    "@selfmade.function\ndef yielding(n: int):\n    yield \"even\", n\n    yield \"odd\", n\n",
    "from typing import Literal\n\n\n@selfmade.function\ndef annotated(mode: Literal[\"r\", \"w\"] = \"r\") -> dict[str, list[int]]:\n    return {}\n",
    "@selfmade.function\ndef größe(ä: \"int\" = 1):\n    return ä\n",
];

fn all_kinds() -> Vec<Intent> {
    let mut intents: Vec<Intent> =
        STATED.iter().filter(|text| !text.contains("if False")).map(|text| decorated(text)).collect();
    let dotted = FunctionDraft {
        name: Some(name("air.table")),
        ..FunctionDraft::of_source("def table():\n    return 1\n")
    };
    intents.push(Intent::function(dotted));
    let old = FunctionDraft {
        dialect: Dialect::Babyagi,
        keep: false,
        declared: Declared {
            description: Some("old".to_owned()),
            imports: Some(vec!["os".to_owned(), "requests".to_owned()]),
            secrets: Some(vec!["a_key".to_owned()]),
            metadata: serde_json::from_value(json!({"kept": 1})).unwrap(),
            ..Declared::default()
        },
        ..FunctionDraft::of_source(
            "def babyish():\n    return os.getcwd(), func.get_function('x'), globals()['a_key']\n",
        )
    };
    intents.push(Intent::function(old));
    let node = |id: &str| Node {
        input: serde_json::from_value(json!({"x": null})).unwrap(),
        other: serde_json::from_value(json!({"colour": ["red", null]})).unwrap(),
        ..Node::new(id, "tested")
    };
    let graph = GraphContent {
        description: "Größe".to_owned(),
        nodes: vec![node("a"), node("b")],
        links: vec![Link::new("a", "output", "b", "x_$_0").kept()],
        ..GraphContent::default()
    };
    intents.push(Intent::Put(name("flow.main"), Content::Graph(graph)));
    intents.push(trigger("on_described", "described", "noted_later"));
    intents.push(answering("noted_later", 1));
    intents.push(schedule("nightly", "described"));
    intents
}

fn of(files: &[TextFile]) -> Import {
    Import { files: files.to_vec(), ..Import::default() }
}

async fn hashes(world: &World) -> BTreeMap<String, ContentHash> {
    let mut all = BTreeMap::new();
    for kind in EntryKind::ALL {
        let page = EntryPage { kind, pack: None, after: None, limit: 1_000, scope: Scope::All };
        for entry in world.ctx.store.entries(&page).await.unwrap() {
            all.insert(entry.key.to_string(), entry.content_hash);
        }
    }
    all
}

fn text<'a>(files: &'a [TextFile], path: &str) -> &'a str {
    let file =
        files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("{path} is not in {files:?}"));
    std::str::from_utf8(&file.bytes).unwrap()
}

store::on_both! {
    async fn another_brain_gets_the_same_contents_to_the_last_bit(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(all_kinds()).await.unwrap();
        let files = export(&world.ctx, &ME, None).await.unwrap().files;
        assert!(text(&files, "functions/air/table.py").contains("def table"));
        assert!(text(&files, "graphs/flow/main.json").contains("Größe"));

        let other_database = TestDatabase::sqlite();
        let other = World::open(&other_database).await;
        import(&other.ctx, &ME, &of(&files)).await.unwrap();
        let (mine, theirs) = (hashes(&world).await, hashes(&other).await);
        for (key, hash) in &mine {
            let kept = theirs.get(key);
            assert_eq!(kept, Some(hash), "{key}");
        }
        assert_eq!(mine, theirs);
        let again = export(&other.ctx, &ME, None).await.unwrap().files;
        let texts = |files: &[TextFile]| -> BTreeMap<String, String> {
            files.iter().map(|file| (file.path.clone(), String::from_utf8(file.bytes.clone()).unwrap())).collect()
        };
        assert_eq!(texts(&again), texts(&files));
    }

    async fn importing_what_is_there_changes_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(all_kinds()).await.unwrap();
        let files = export(&world.ctx, &ME, None).await.unwrap().files;
        let before = database.dump().await;
        let applied = import(&world.ctx, &ME, &Import { prune: true, ..of(&files) }).await.unwrap();
        assert_eq!((applied.changeset, applied.moves.len()), (None, 0), "{:?}", applied.moves);
        assert_eq!(database.dump().await, before);
    }

    async fn a_folder_with_one_bad_file_changes_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1)]).await.unwrap();
        let files = export(&world.ctx, &ME, None).await.unwrap().files;
        let before = database.dump().await;
        for (path, bytes) in [
            ("functions/bad.py", b"def bad(:\n".as_slice()),
            ("functions/bad.py", b"\xff\xfe"),
            ("functions/other.py", b"def another():\n    return 1\n"),
            ("functions/my-function.py", b"def f():\n    return 1\n"),
            ("functions/lonely.py", b"def lonely():\n    return nobody()\n"),
            ("graphs/g.json", b"{"),
            ("graphs/g.json", br#"{"kind": "schedule", "times": {"cron": "* * * * *"}, "target": "f"}"#),
            ("triggers/t.json", br#"{"kind": "trigger", "on": "run.began", "target": "f"}"#),
        ] {
            let good = TextFile { path: "functions/good.py".to_owned(), bytes: b"def good():\n    return 1\n".to_vec() };
            let bad = TextFile { path: path.to_owned(), bytes: bytes.to_vec() };
            let files = [files.as_slice(), &[good, bad]].concat();
            let error = import(&world.ctx, &ME, &Import { prune: true, ..of(&files) }).await.unwrap_err();
            let message = format!("{error} {:?}", error.findings());
            assert!(message.contains(path.rsplit(['/', '.']).nth(1).unwrap()), "{path}: {message}");
            assert_eq!(database.dump().await, before);
        }
    }

    async fn what_the_folder_lacks_stays_unless_it_is_pruned(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("kept", 1)]).await.unwrap();
        let files = export(&world.ctx, &ME, None).await.unwrap().files;
        world.register(vec![answering("extra", 1), trigger("t", "x", "extra"), schedule("s", "kept")]).await.unwrap();
        import(&world.ctx, &ME, &of(&files)).await.unwrap();
        assert_eq!(hashes(&world).await.len(), 4);
        let applied = import(&world.ctx, &ME, &Import { prune: true, ..of(&files) }).await.unwrap();
        assert_eq!(applied.moves.len(), 3);
        assert_eq!(hashes(&world).await.keys().collect::<Vec<_>>(), ["function `kept`"]);
    }

    async fn the_past_can_be_exported(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1), answering("gone", 1)]).await.unwrap();
        world.register(vec![answering("f", 2), delete("gone")]).await.unwrap();
        let past = export(&world.ctx, &ME, Some(Revision(1))).await.unwrap().files;
        assert!(text(&past, "functions/f.py").contains("return 1"));
        assert_eq!(past.len(), 3);
        assert_eq!(export(&world.ctx, &ME, Some(Revision(9))).await.unwrap_err().code(), "revision_not_found");
    }

    async fn a_folder_that_is_no_brain_is_refused_and_other_files_are_left_alone(database: &TestDatabase) {
        let world = World::open(database).await;
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), bytes: text.as_bytes().to_vec() };
        let code = file("functions/f.py", "def f():\n    return 1\n");
        for files in [
            vec![code.clone()],
            vec![code.clone(), file("brain.json", "{}")],
            vec![code.clone(), file("brain.json", "{\"format\": 99}")],
            vec![code.clone(), file("brain.json", "rubbish")],
        ] {
            assert_eq!(import(&world.ctx, &ME, &of(&files)).await.unwrap_err().code(), "bad_input");
        }
        let mark = file("brain.json", "{\"format\": 1}");
        let extras = [file("README.md", "hello"), file("functions/notes.txt", "x"), file(".git/functions/x.py", "(")];
        import(&world.ctx, &ME, &of(&[&[mark, code], extras.as_slice()].concat())).await.unwrap();
        assert_eq!(hashes(&world).await.len(), 1);
    }

    async fn a_bare_file_keeps_what_was_stated(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![decorated("@selfmade.function(network=[\"a.example\"])\ndef f():\n    return 1\n")]).await.unwrap();
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), bytes: text.as_bytes().to_vec() };
        let files = [file("brain.json", "{\"format\": 1}"), file("functions/f.py", "def f():\n    return 2\n")];
        import(&world.ctx, &ME, &of(&files)).await.unwrap();
        assert_eq!(world.live("f").await.unwrap().grants.lines(), ["network a.example"]);
        assert!(matches!(source("def f():\n    return 2\n"), Intent::Function(_)));
    }

    async fn what_was_expected_and_is_not_live_changes_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("f", 1), answering("g", 1), schedule("s", "f")]).await.unwrap();
        let exported = export(&world.ctx, &ME, None).await.unwrap();
        let read = |path: &str| (path.to_owned(), exported.versions.get(path).copied());
        world.register(vec![answering("f", 2)]).await.unwrap();
        let before = database.dump().await;
        let files = vec![
            TextFile { path: "brain.json".to_owned(), bytes: b"{\"format\": 1}".to_vec() },
            TextFile { path: "functions/f.py".to_owned(), bytes: b"def f():\n    return 3\n".to_vec() },
        ];
        let removed = vec!["functions/g.py".to_owned(), "schedules/s.json".to_owned()];
        let expected = ["functions/f.py", "functions/g.py", "schedules/s.json"].map(read);
        let wanted = Import { files, removed, expected: expected.into(), ..Import::default() };
        let error = import(&world.ctx, &ME, &wanted).await.unwrap_err();
        assert_eq!((error.code(), error.to_string().contains("`f`")), ("stale", true), "{error}");
        assert_eq!(database.dump().await, before);

        let expected = wanted.expected.clone().into_iter().chain([("functions/f.py".to_owned(), Some(VersionNumber(2)))]);
        let applied = import(&world.ctx, &ME, &Import { expected: expected.collect(), ..wanted }).await.unwrap();
        assert_eq!(applied.moves.len(), 3, "{:?}", applied.moves);
        assert_eq!(hashes(&world).await.keys().collect::<Vec<_>>(), ["function `f`"]);
    }

    async fn only_what_is_changed_can_be_expected(database: &TestDatabase) {
        let world = World::open(database).await;
        let mark = TextFile { path: "brain.json".to_owned(), bytes: b"{\"format\": 1}".to_vec() };
        for path in ["functions/f.py", "README.md", "functions/../x.py"] {
            let expected = [(path.to_owned(), None)].into();
            let wanted = Import { expected, ..of(std::slice::from_ref(&mark)) };
            let error = import(&world.ctx, &ME, &wanted).await.unwrap_err();
            assert!(["bad_input", "bad_name"].contains(&error.code()), "{path}: {error}");
        }
    }
}
