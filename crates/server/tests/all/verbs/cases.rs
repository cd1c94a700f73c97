//! How each verb is called.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;
use model::access::Access;
use model::entry::EntryKind;
use model::event::EventKind;
use model::revision::Revision;
use model::token::TokenRole;
use model::verb::Verb;
use model::version::VersionNumber;
use secrecy::SecretBox;
use serde_json::json;
use server::Error;
use server::app::babyagi::{self, Keys};
use server::app::changesets::{self, Policy};
use server::app::functions::{self, Which};
use server::app::functionz;
use server::app::functionz::logs::LogFilter;
use server::app::functionz::stating::Stated;
use server::app::packs::{self, Load};
use server::app::retention::{self, Retention};
use server::app::run_news::Endings;
use server::app::tokens::{self, NewToken};
use server::app::{
    dependents, doctor, folder, insights, names, replay, run_ids, run_lists, run_records, runs, schedules,
    search, secrets, sessions, tests, triggers, warming, webhooks,
};
use store::{ChangesetFilter, EntryPage, RunFilter};

use super::sides::Side;
use crate::engine::script::Stage;

/// What a verb is done to: that decides what becomes of it where an Access is narrow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reach {
    /// A name that is stated: outside it is refused, whether or not there is such a thing.
    Name,
    /// A run, changeset, event or webhook: outside there is none.
    Record,
    /// Everything that may be seen.
    List,
    /// The brain as a whole: refused to whoever is narrow.
    Whole,
}

type Called<'a> = Pin<Box<dyn Future<Output = Result<String, Error>> + 'a>>;
type Call = for<'a> fn(&'a Stage, &'a Access, &'a Side) -> Called<'a>;

pub(super) struct Case {
    /// The file and the name.
    pub(super) verb: &'static str,
    pub(super) is: Verb,
    pub(super) reach: Reach,
    pub(super) call: Call,
}

macro_rules! cases {
    ($($verb:literal $is:ident $reach:ident |$stage:ident, $access:ident, $side:ident| $call:expr;)*) => {
        pub(super) const CASES: &[Case] = &[$(Case {
            verb: $verb,
            is: Verb::$is,
            reach: Reach::$reach,
            call: |$stage, $access, $side| Box::pin(async move {
                let _ = ($stage, $side);
                let done = $call.await?;
                Ok(format!("{done:?}"))
            }),
        },)*];
    };
}

fn everything() -> EntryPage {
    EntryPage {
        kind: EntryKind::Function,
        pack: None,
        after: None,
        limit: 100,
        scope: model::scope::Scope::All,
    }
}

fn stated(side: &Side) -> Stated {
    Stated { code: Some(side.source(1)), ..Stated::default() }
}

fn schedule(side: &Side) -> model::schedule::ScheduleContent {
    match crate::world::schedule(side.schedule.as_str(), &side.function) {
        server::app::drafts::Intent::Put(_, model::content::Content::Schedule(content)) => content,
        other => panic!("a schedule is put, not {other:?}"),
    }
}

fn token(stage: &Stage) -> NewToken {
    NewToken {
        name: stage.ctx.ids.uuid().to_string(),
        role: TokenRole::Viewer,
        patterns: Vec::new(),
        uses: Vec::new(),
        grants: None,
        expires_at: None,
    }
}

fn value() -> SecretBox<Vec<u8>> {
    SecretBox::new(Box::new(b"a value of a secret".to_vec()))
}

cases! {
    "babyagi.rs import" ManageSecrets Whole |stage, access, side|
        babyagi::import(&stage.ctx, access, Path::new("/nowhere.db"), &Keys::Leave);
    "changesets.rs register" ApplyChangeset Name |stage, access, side|
        changesets::register(&stage.ctx, access, &side.proposal(stage));
    "changesets.rs propose" ProposeChangeset Name |stage, access, side|
        changesets::propose(&stage.ctx, access, &side.proposal(stage));
    "changesets.rs check" ProposeChangeset Name |stage, access, side|
        changesets::check(&stage.ctx, access, &side.proposal(stage));
    "changesets.rs propose_by_policy" ProposeChangeset Name |stage, access, side|
        changesets::propose_by_policy(&stage.ctx, access, &side.proposal(stage), Policy::Ask);
    "changesets.rs apply" ApplyChangeset Record |stage, access, side|
        changesets::apply(&stage.ctx, access, side.proposed(stage).await);
    "changesets.rs reject" RejectChangeset Record |stage, access, side|
        changesets::reject(&stage.ctx, access, side.proposed(stage).await);
    "changesets.rs rebase" ProposeChangeset Record |stage, access, side|
        changesets::rebase(&stage.ctx, access, side.proposed(stage).await);
    "changesets.rs revert" RevertChangeset Record |stage, access, side|
        changesets::revert(&stage.ctx, access, side.applied(stage).await);
    "changesets.rs list" ReadChangesets List |stage, access, side|
        changesets::list(&stage.ctx, access, ChangesetFilter::default(), 100);
    "changesets.rs show" ReadChangesets Record |stage, access, side|
        changesets::show(&stage.ctx, access, side.proposed(stage).await);
    "changesets.rs find" ReadChangesets Record |stage, access, side|
        changesets::find(&stage.ctx, access, side.proposed(stage).await);
    "changesets.rs number_of" ReadChangesets Whole |stage, access, side|
        changesets::number_of(&stage.ctx, access, Revision(1));
    "dependents.rs of" ReadFunctions Name |stage, access, side|
        dependents::of(&stage.ctx, access, &side.name());
    "doctor.rs examine" ExamineServer Whole |stage, access, side| doctor::examine(&stage.ctx, access);
    "folder.rs export" ExportBrain Whole |stage, access, side| folder::export(&stage.ctx, access, None);
    "folder.rs import" ApplyChangeset Whole |stage, access, side|
        folder::import(&stage.ctx, access, &[], false);
    "functions.rs list" ReadFunctions List |stage, access, side|
        functions::list(&stage.ctx, access, everything(), None);
    "functions.rs version" ReadFunctions Name |stage, access, side|
        functions::version(&stage.ctx, access, &side.key(), Which::Live);
    "functions.rs show" ReadFunctions Name |stage, access, side|
        functions::show(&stage.ctx, access, &side.key(), Which::Live);
    "functions.rs versions" ReadFunctions Name |stage, access, side|
        functions::versions(&stage.ctx, access, &side.key());
    "functions.rs diff" ReadFunctions Name |stage, access, side|
        functions::diff(&stage.ctx, access, &side.key(), Which::Live, Which::Live);
    "functions.rs closure" ReadFunctions Name |stage, access, side|
        functions::closure(&stage.ctx, access, &side.name());
    "functions.rs point" ApplyChangeset Name |stage, access, side|
        functions::point(&stage.ctx, access, &side.key(), VersionNumber(1));
    "functions.rs counts" ReadBrain List |stage, access, side| functions::counts(&stage.ctx, access);
    "functionz/functions.rs get" ReadFunctions Name |stage, access, side|
        functionz::functions::get(&stage.ctx, access, &side.function);
    "functionz/functions.rs page" ReadFunctions List |stage, access, side|
        functionz::functions::page(&stage.ctx, access, None, 100);
    "functionz/functions.rs all" ReadFunctions List |stage, access, side|
        functionz::functions::all(&stage.ctx, access);
    "functionz/functions.rs versions" ReadFunctions Name |stage, access, side|
        functionz::functions::versions(&stage.ctx, access, &side.function);
    "functionz/functions.rs imports" ReadFunctions Name |stage, access, side|
        functionz::functions::imports(&stage.ctx, access, &side.function);
    "functionz/functions.rs all_imports" ReadFunctions List |stage, access, side|
        functionz::functions::all_imports(&stage.ctx, access);
    "functionz/logs.rs logs" ReadRuns List |stage, access, side| async {
        functionz::logs::logs(&stage.ctx, access, &LogFilter::default()).await.map(|logs| logs.rows)
    };
    "functionz/logs.rs bundle" ReadRuns Record |stage, access, side|
        functionz::logs::bundle(&stage.ctx, access, &side.run.to_string());
    "functionz/stating.rs registration" ProposeChangeset Name |stage, access, side|
        functionz::stating::registration(&stage.ctx, access, side.name(), stated(side));
    "functionz/stating.rs update" ProposeChangeset Name |stage, access, side|
        functionz::stating::update(&stage.ctx, access, side.name(), stated(side));
    "functionz/triggers.rs of" ReadTriggers Name |stage, access, side|
        functionz::triggers::of(&stage.ctx, access, &side.function);
    "functionz/triggers.rs after" ReadTriggers Name |stage, access, side|
        functionz::triggers::after(&stage.ctx, access, &side.function);
    "functionz/triggers.rs addition" ProposeChangeset Name |stage, access, side|
        functionz::triggers::addition(&stage.ctx, access, side.name(), Some(&side.function));
    "insights.rs of" ReadInsights Name |stage, access, side|
        insights::of(&stage.ctx, access, &side.name(), Timestamp::UNIX_EPOCH);
    "insights.rs all" ReadInsights List |stage, access, side|
        insights::all(&stage.ctx, access, Timestamp::UNIX_EPOCH);
    "names.rs actor" ReadRuns Name |stage, access, side| async {
        names::actor(&stage.ctx, access, &format!("trigger:{}", side.trigger)).await
    };
    "packs.rs list" ReadPacks Whole |stage, access, side| packs::list(&stage.ctx, access);
    "packs.rs find" ReadPacks Whole |stage, access, side| async {
        // There is none: whoever may ask learns that.
        packs::find(&stage.ctx, access, "none").await.map(|_| ()).or_else(|error| match error.code() {
            "not_found" => Ok(()),
            _ => Err(error),
        })
    };
    "packs.rs load" ApplyChangeset Whole |stage, access, side| {
        let (name, origin) = ("p".to_owned(), String::new());
        packs::load(&stage.ctx, access, Load { name, origin, files: Vec::new(), prefix: String::new(), replace: false })
    };
    "replay.rs replay" ReplayRun Record |stage, access, side| replay::replay(&stage.ctx, access, side.run, |_, _| ());
    "retention.rs prune" PruneRuns Whole |stage, access, side|
        retention::prune(&stage.ctx, access, Retention { newest: Some(1_000_000), ..Retention::default() }, false, |_| ());
    "run_ids.rs find" ReadRuns Record |stage, access, side| async {
        run_ids::find(&stage.ctx, access, &side.run.to_string()).await
    };
    "run_lists.rs page" ReadRuns List |stage, access, side|
        run_lists::page(&stage.ctx, access, RunFilter::default(), 100);
    "run_lists.rs of" ReadRuns List |stage, access, side| run_lists::of(&stage.ctx, access, &[side.run]);
    "run_news.rs from_now" ReadRuns List |stage, access, side| async {
        Endings::from_now(&stage.ctx, access).await.map(drop)
    };
    "run_records.rs show" ReadRuns Record |stage, access, side| run_records::show(&stage.ctx, access, side.run);
    "runs.rs start" StartRun Name |stage, access, side| runs::start(&stage.ctx, access, side.start());
    "runs.rs begin" StartRun Name |stage, access, side| async {
        runs::begin(&stage.ctx, access, side.start()).await?.ended(&stage.ctx).await
    };
    "runs.rs queue" StartRun Name |stage, access, side| runs::queue(&stage.ctx, access, side.start());
    "runs.rs get" ReadRuns Record |stage, access, side| runs::get(&stage.ctx, access, side.run);
    "runs.rs list" ReadRuns List |stage, access, side| runs::list(&stage.ctx, access, RunFilter::default(), 100);
    "runs.rs wait" ReadRuns Record |stage, access, side| runs::wait(&stage.ctx, access, side.run);
    "runs.rs wait_past" ReadRuns Record |stage, access, side| async {
        let run = runs::get(&stage.ctx, &crate::world::ME, side.run).await?;
        runs::wait_past(&stage.ctx, access, &run).await
    };
    "runs.rs cancel" CancelRun Record |stage, access, side| async {
        runs::cancel(&stage.ctx, access, side.queued(stage).await.run_id).await
    };
    "runs.rs answer" AnswerRun Record |stage, access, side| runs::answer(&stage.ctx, access, side.run, json!(1));
    "runs.rs again" StartRun Record |stage, access, side| async {
        runs::again(&stage.ctx, access, side.run, true).await.map(drop)
    };
    "schedules.rs put" ApplyChangeset Name |stage, access, side|
        schedules::put(&stage.ctx, access, side.schedule.clone(), schedule(side));
    "schedules.rs remove" ApplyChangeset Name |stage, access, side| {
        side.restored(stage).await;
        schedules::remove(&stage.ctx, access, side.schedule.clone())
    };
    "schedules.rs switch" ApplyChangeset Name |stage, access, side| {
        side.restored(stage).await;
        schedules::switch(&stage.ctx, access, side.schedule.clone(), true)
    };
    "schedules.rs list" ReadSchedules List |stage, access, side| schedules::list(&stage.ctx, access, None, 100);
    "schedules.rs show" ReadSchedules Name |stage, access, side| {
        side.restored(stage).await;
        schedules::show(&stage.ctx, access, &side.schedule, 1)
    };
    "schedules.rs now" StartRun Name |stage, access, side| async {
        side.restored(stage).await;
        schedules::now(&stage.ctx, access, &side.schedule).await.map(drop)
    };
    "search.rs search" SearchFunctions List |stage, access, side| search::search(&stage.ctx, access, "get", 10);
    "search.rs rebuild" RebuildSearch Whole |stage, access, side| search::rebuild(&stage.ctx, access);
    "secrets.rs set" ManageSecrets Whole |stage, access, side| async {
        secrets::set(&stage.ctx, access, "one", &value()).await
    };
    "secrets.rs set_for" ManageSecrets Whole |stage, access, side| async {
        secrets::set_for(&stage.ctx, access, "two", &value(), &[]).await
    };
    "secrets.rs list" ManageSecrets Whole |stage, access, side| secrets::list(&stage.ctx, access);
    "secrets.rs remove" ManageSecrets Whole |stage, access, side| async {
        secrets::set(&stage.ctx, &crate::world::ME, "three", &value()).await?;
        secrets::remove(&stage.ctx, access, "three").await
    };
    "sessions.rs list" ManageSessions Whole |stage, access, side| sessions::list(&stage.ctx, access);
    "sessions.rs end" ManageSessions Whole |stage, access, side| async {
        // There is none: whoever may ask learns that.
        sessions::end(&stage.ctx, access, "none").await.or_else(|error| match error.code() {
            "not_found" => Ok(()),
            _ => Err(error),
        })
    };
    "tests.rs run" RunTests Name |stage, access, side| async {
        tests::run(&stage.ctx, access, &[side.name()]).await
    };
    "tests.rs dependents" ReadFunctions List |stage, access, side| async {
        tests::dependents(&stage.ctx, access, &[side.name()]).await
    };
    "tokens.rs add" ManageTokens Whole |stage, access, side| async {
        tokens::add(&stage.ctx, access, token(stage)).await.map(drop)
    };
    "tokens.rs list" ManageTokens Whole |stage, access, side| tokens::list(&stage.ctx, access);
    "tokens.rs remove" ManageTokens Whole |stage, access, side| async {
        let (added, _) = tokens::add(&stage.ctx, &crate::world::ME, token(stage)).await?;
        tokens::remove(&stage.ctx, access, &added.name).await
    };
    "triggers.rs put" ApplyChangeset Name |stage, access, side|
        triggers::put(&stage.ctx, access, side.trigger.clone(), side.content());
    "triggers.rs remove" ApplyChangeset Name |stage, access, side| {
        side.restored(stage).await;
        triggers::remove(&stage.ctx, access, side.trigger.clone())
    };
    "triggers.rs switch" ApplyChangeset Name |stage, access, side| {
        side.restored(stage).await;
        triggers::switch(&stage.ctx, access, side.trigger.clone(), false)
    };
    "triggers.rs list" ReadTriggers List |stage, access, side| triggers::list(&stage.ctx, access, None, 100);
    "triggers.rs show" ReadTriggers Name |stage, access, side| {
        side.restored(stage).await;
        triggers::show(&stage.ctx, access, &side.trigger)
    };
    "triggers.rs content" ReadTriggers Name |stage, access, side| {
        side.restored(stage).await;
        triggers::content(&stage.ctx, access, &side.trigger)
    };
    "triggers.rs firings" ReadTriggers Name |stage, access, side|
        triggers::firings(&stage.ctx, access, &side.trigger, None, 100);
    "triggers.rs dry_run" ReadTriggers Name |stage, access, side| async {
        triggers::dry_run(&stage.ctx, access, &side.content(), Timestamp::UNIX_EPOCH).await
    };
    "triggers.rs trial" ReadTriggers Name |stage, access, side| async {
        let (kind, source) = (EventKind::RunFinished, side.function.clone());
        let event = triggers::made_up(&stage.ctx, access, kind, source, json!({}));
        triggers::trial(&stage.ctx, access, &side.content(), &event).await
    };
    "triggers.rs event" ReadEvents Record |stage, access, side| triggers::event(&stage.ctx, access, side.event);
    "warming.rs warm" PrepareEnvironments Name |stage, access, side| async {
        warming::warm(&stage.ctx, access, &[side.name()], Arc::new(|_| ())).await
    };
    "webhooks.rs receive" EmitEvent Record |stage, access, side|
        webhooks::receive(&stage.ctx, access, &side.webhook, json!({}), None);
}
