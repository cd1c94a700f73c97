//! Packs: loaded together, owned together, and never over somebody else's work.

use server::Error;
use server::app::changesets::Breakage;
use server::app::changesets::revert;
use server::app::packs::{Load, TextFile, list, load};
use store::testing::TestDatabase;

use crate::world::{ME, World, answering, key, trigger_key};

const TOOLS: &str = "import selfmade\n\n\n@selfmade.function\ndef first():\n    return second()\n\n\n@selfmade.function\ndef second():\n    return 2\n\n\ndef plain():\n    return 3\n";

const OLD: &str = "from functionz import func\n\n@func.register_function(metadata={\"description\": \"Up\"}, imports=[\"os\"], dependencies=[\"down\", \"nowhere\"], key_dependencies=[\"api_key\"])\ndef up(x):\n    return down(x)\n\n@func.register_function(metadata={\"description\": \"Down\"}, triggers=[\"up\"], key_dependencies=[\"deep_key\"])\ndef down(x):\n    return globals()['deep_key']\n";

fn pack(name: &str, files: &[(&str, &str)]) -> Load {
    Load {
        name: name.to_owned(),
        origin: format!("packs/{name}"),
        files: files
            .iter()
            .map(|(path, text)| TextFile { path: (*path).to_owned(), bytes: text.as_bytes().to_vec() })
            .collect(),
        prefix: String::new(),
        replace: false,
        breakage: Breakage::Refused,
    }
}

store::on_both! {
    async fn a_pack_is_one_changeset_and_loading_it_again_is_none(database: &TestDatabase) {
        let world = World::open(database).await;
        let loaded = load(&world.ctx, &ME, pack("tools", &[("tools.py", TOOLS)])).await.unwrap();
        assert_eq!((loaded.applied.revision.0, loaded.applied.moves.len(), loaded.unchanged), (1, 2, 0));
        assert_eq!(loaded.skipped.len(), 1);
        let packs = list(&world.ctx, &ME).await.unwrap();
        assert_eq!((packs[0].name.as_str(), packs[0].live_entries), ("tools", 2));
        let again = load(&world.ctx, &ME, pack("tools", &[("tools.py", TOOLS)])).await.unwrap();
        assert_eq!((again.applied.changeset, again.unchanged), (None, 2));
        assert_eq!(world.revision().await, 1);
    }

    // BabyAGI has no namespaces: a pack silently replaces functions of the same name.
    async fn a_name_of_somebody_else_is_not_taken(database: &TestDatabase) {
        let world = World::open(database).await;
        world.register(vec![answering("second", 7)]).await.unwrap();
        let before = database.dump().await;
        let error = load(&world.ctx, &ME, pack("tools", &[("tools.py", TOOLS)])).await.unwrap_err();
        assert_eq!(error.code(), "pack_refused");
        assert!(error.to_string().contains("`second` is already defined by hand"), "{error}");
        assert!(error.hint().unwrap().contains("--as tools."), "{error:?}");
        assert_eq!(database.dump().await, before);

        let prefixed = Load { prefix: "tools.".to_owned(), ..pack("tools", &[("tools.py", TOOLS)]) };
        load(&world.ctx, &ME, prefixed).await.unwrap();
        let first = world.live("tools.first").await.unwrap();
        assert_eq!(first.dependencies[0].function, "tools.second", "it calls its own");
        assert_eq!(world.live_number(&key("second")).await, Some(1));

        let error = load(&world.ctx, &ME, pack("more", &[("more.py", TOOLS)])).await.unwrap_err();
        assert!(error.to_string().contains("by hand"), "{error}");
        let replacing = Load { replace: true, ..pack("more", &[("more.py", TOOLS)]) };
        load(&world.ctx, &ME, replacing).await.unwrap();
        assert_eq!(world.live_number(&key("second")).await, Some(2));
        let error = load(&world.ctx, &ME, pack("third", &[("third.py", TOOLS)])).await.unwrap_err();
        assert!(error.to_string().contains("by pack `more`"), "{error}");
    }

    async fn undoing_a_load_takes_the_whole_pack_away(database: &TestDatabase) {
        let world = World::open(database).await;
        let loaded = load(&world.ctx, &ME, pack("old", &[("old.py", OLD)])).await.unwrap();
        assert_eq!(world.live_number(&trigger_key("down_after_up")).await, Some(1));
        revert(&world.ctx, &ME, loaded.applied.changeset.unwrap(), Breakage::Refused).await.unwrap();
        for key in [key("up"), key("down"), trigger_key("down_after_up")] {
            assert_eq!(world.live_number(&key).await, None, "{key}");
        }
        assert_eq!(list(&world.ctx, &ME).await.unwrap()[0].live_entries, 0);
        load(&world.ctx, &ME, pack("old", &[("old.py", OLD)])).await.unwrap();
        assert_eq!(list(&world.ctx, &ME).await.unwrap()[0].live_entries, 3);
        assert_eq!(world.live_number(&key("up")).await, Some(1), "the same content is the same version");
    }

    // BabyAGI keeps neither which keys a function declared nor dependencies it does not know.
    async fn a_babyagi_pack_keeps_keys_unknown_names_and_triggers_and_is_widened(database: &TestDatabase) {
        let world = World::open(database).await;
        let loaded = load(&world.ctx, &ME, pack("old", &[("old.py", OLD)])).await.unwrap();
        let up = world.live("up").await.unwrap();
        assert_eq!(up.grants.lines(), ["secret api_key", "secret deep_key"]);
        assert_eq!(loaded.widened()[0].gained, ["secret deep_key"]);
        let names: Vec<&str> = up.dependencies.iter().map(|dependency| dependency.function.as_str()).collect();
        assert_eq!(names, ["down", "nowhere"]);
        let warned: Vec<&str> = loaded.warnings().iter().map(|warning| warning.message.as_str()).collect();
        assert_eq!(
            warned,
            [
                "depends on `nowhere`, which is not a stored function",
                "it uses the secret `deep_key`, which is not stored",
                "it uses the secret `api_key`, which is not stored",
            ]
        );
        assert_eq!(up.imports, ["os"]);
    }

    async fn a_trigger_that_a_pack_no_longer_declares_goes_and_a_function_stays(database: &TestDatabase) {
        let world = World::open(database).await;
        load(&world.ctx, &ME, pack("old", &[("old.py", OLD)])).await.unwrap();
        let newer = OLD.replace(", triggers=[\"up\"]", "");
        let (first, last) = (newer.find("@func").unwrap(), newer.rfind("@func").unwrap());
        let newer = [&newer[..first], &newer[last..]].concat();
        let loaded = load(&world.ctx, &ME, pack("old", &[("old.py", &newer)])).await.unwrap();
        assert_eq!(world.live_number(&trigger_key("down_after_up")).await, None);
        assert_eq!(loaded.left_over, ["up".parse().unwrap()]);
        assert_eq!(world.live_number(&key("up")).await, Some(1));
    }

    // BabyAGI prints that a broken or missing pack was loaded successfully.
    async fn a_broken_file_is_named_and_the_rest_of_the_folder_still_loads(database: &TestDatabase) {
        let world = World::open(database).await;
        let files = [("bad.py", "import selfmade\ndef broken(:\n"), ("tools.py", TOOLS), ("twin.py", TOOLS)];
        let loaded = load(&world.ctx, &ME, pack("mixed", &files)).await.unwrap();
        assert_eq!(loaded.applied.moves.len(), 2);
        let refused: Vec<&str> = loaded.refused.iter().map(|refusal| refusal.file.as_str()).collect();
        assert_eq!(refused, ["bad.py", "twin.py", "twin.py"]);
        assert!(loaded.refused[0].message.starts_with("line 2"), "{:?}", loaded.refused[0]);

        let before = database.dump().await;
        let alone = load(&world.ctx, &ME, pack("bad", &files[..1])).await.unwrap_err();
        assert!(matches!(&alone, Error::Source { file, .. } if file == "bad.py"), "{alone:?}");
        let empty = load(&world.ctx, &ME, pack("empty", &[("e.py", "x = 1\n")])).await.unwrap_err();
        assert_eq!(empty.code(), "pack_refused");
        assert_eq!(load(&world.ctx, &ME, pack("none", &[])).await.unwrap_err().code(), "pack_refused");
        assert_eq!(database.dump().await, before);
    }

    async fn two_packs_loaded_at_once_both_land(database: &TestDatabase) {
        let world = World::open(database).await;
        let (one, two) = tokio::join!(
            load(&world.ctx, &ME, pack("tools", &[("tools.py", TOOLS)])),
            load(&world.ctx, &ME, pack("old", &[("old.py", OLD)])),
        );
        one.unwrap();
        two.unwrap();
        let counts: Vec<u64> = list(&world.ctx, &ME).await.unwrap().iter().map(|pack| pack.live_entries).collect();
        assert_eq!(counts, [3, 2]);
    }
}
