//! How each verb is called.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;
use model::access::Access;
use model::access::policy::ProposalPolicy;
use model::access::token::TokenRole;
use model::access::verb::Verb;
use model::budget::Limits;
use model::entry::EntryKind;
use model::event::EventKind;
use model::graph::exchange::Format;
use model::revision::Revision;
use model::version::VersionNumber;
use secrecy::SecretBox;
use serde_json::json;
use server::Error;
use server::app::babyagi::{self, Keys};
use server::app::budgets;
use server::app::changesets;
use server::app::changesets::Breakage;
use server::app::functions::{
    self, Which, dependents, mutants, names, provenance, recorded_tests, run_tests, search, warming,
};
use server::app::functionz;
use server::app::functionz::logs::LogFilter;
use server::app::functionz::stating::Stated;
use server::app::graphs::drawing::Drawing;
use server::app::graphs::exchange::{self, GraphImport};
use server::app::graphs::source::GraphSource;
use server::app::graphs::{self, blocks, drafts, drawing, estimates, upgrades};
use server::app::models::NewModel;
use server::app::operations::retention::{self, Retention};
use server::app::operations::{attention, doctor, nodes};
use server::app::packs::{self, Load};
use server::app::runs::code::{self, RunCode};
use server::app::runs::nodes::{self as nodes_of_runs, NodeFilter};
use server::app::runs::watch::Endings;
use server::app::runs::{breakpoints, ids, lists, records, replay, resume};
use server::app::tokens::{self, NewToken};
use server::app::triggers::webhooks;
use server::app::{folder, insights, models, presets, runs, schedules, secrets, sessions, triggers};
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
        scope: model::access::scope::Scope::All,
    }
}

fn stated(side: &Side) -> Stated {
    Stated { code: Some(side.source(1)), ..Stated::default() }
}

fn schedule(side: &Side) -> model::schedule::ScheduleContent {
    match crate::world::schedule(side.schedule.as_str(), &side.function) {
        changesets::drafts::Intent::Put(_, model::content::Content::Schedule(content)) => content,
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

fn pinning() -> drafts::Pinning {
    drafts::Pinning::Stated { outputs: [("output".to_owned(), vec![json!(1)])].into() }
}

fn value() -> SecretBox<Vec<u8>> {
    SecretBox::new(Box::new(b"a value of a secret".to_vec()))
}

cases! {
    "babyagi import" ManageSecrets Whole |stage, access, side|
        babyagi::import(&stage.ctx, access, Path::new("/nowhere.db"), &Keys::Leave);
    "changesets register" ApplyChangeset Name |stage, access, side|
        changesets::register(&stage.ctx, access, &side.proposal(stage));
    "changesets propose" ProposeChangeset Name |stage, access, side|
        changesets::propose(&stage.ctx, access, &side.proposal(stage));
    "changesets check" ProposeChangeset Name |stage, access, side|
        changesets::check(&stage.ctx, access, &side.proposal(stage));
    "changesets propose_by_policy" ProposeChangeset Name |stage, access, side|
        changesets::propose_by_policy(&stage.ctx, access, &side.proposal(stage), ProposalPolicy::Ask);
    "changesets apply" ApplyChangeset Record |stage, access, side|
        changesets::apply(&stage.ctx, access, side.proposed(stage).await, Breakage::Refused);
    "changesets reject" RejectChangeset Record |stage, access, side|
        changesets::reject(&stage.ctx, access, side.proposed(stage).await, None);
    "changesets rebase" ProposeChangeset Record |stage, access, side|
        changesets::rebase(&stage.ctx, access, side.proposed(stage).await);
    "changesets revert" RevertChangeset Record |stage, access, side|
        changesets::revert(&stage.ctx, access, side.applied(stage).await, Breakage::Refused);
    "changesets::read list" ReadChangesets List |stage, access, side|
        changesets::list(&stage.ctx, access, ChangesetFilter::default(), 100);
    "changesets::read show" ReadChangesets Record |stage, access, side|
        changesets::show(&stage.ctx, access, side.proposed(stage).await);
    "changesets::read find" ReadChangesets Record |stage, access, side|
        changesets::find(&stage.ctx, access, side.proposed(stage).await);
    "changesets::read number_of" ReadChangesets Whole |stage, access, side|
        changesets::number_of(&stage.ctx, access, Revision(1));
    "functions::dependents of" ReadFunctions Name |stage, access, side|
        dependents::of(&stage.ctx, access, &side.name());
    "operations::attention list" ReadBrain List |stage, access, side| attention::list(&stage.ctx, access);
    "operations::doctor examine" ExamineServer Whole |stage, access, side| doctor::examine(&stage.ctx, access);
    "operations::nodes list" ReadNodes Whole |stage, access, side| nodes::list(&stage.ctx, access);
    "folder export" ExportBrain Whole |stage, access, side| folder::export(&stage.ctx, access, None);
    "folder import" ApplyChangeset Whole |stage, access, side|
        folder::import(&stage.ctx, access, &folder::Import::default());
    "functions list" ReadFunctions List |stage, access, side|
        functions::list(&stage.ctx, access, everything(), None);
    "functions version" ReadFunctions Name |stage, access, side|
        functions::version(&stage.ctx, access, &side.key(), Which::Live);
    "functions show" ReadFunctions Name |stage, access, side|
        functions::show(&stage.ctx, access, &side.key(), Which::Live);
    "functions versions" ReadFunctions Name |stage, access, side|
        functions::versions(&stage.ctx, access, &side.key());
    "functions diff" ReadFunctions Name |stage, access, side|
        functions::diff(&stage.ctx, access, &side.key(), Which::Live, Which::Live);
    "functions closure" ReadFunctions Name |stage, access, side|
        functions::closure(&stage.ctx, access, &side.name());
    "functions point" ApplyChangeset Name |stage, access, side|
        functions::point(&stage.ctx, access, &side.key(), VersionNumber(1), Breakage::Refused);
    "functions counts" ReadBrain List |stage, access, side| functions::counts(&stage.ctx, access);
    "functionz::functions get" ReadFunctions Name |stage, access, side|
        functionz::functions::get(&stage.ctx, access, &side.function);
    "functionz::functions page" ReadFunctions List |stage, access, side|
        functionz::functions::page(&stage.ctx, access, None, 100);
    "functionz::functions all" ReadFunctions List |stage, access, side|
        functionz::functions::all(&stage.ctx, access);
    "functionz::functions versions" ReadFunctions Name |stage, access, side|
        functionz::functions::versions(&stage.ctx, access, &side.function);
    "functionz::functions imports" ReadFunctions Name |stage, access, side|
        functionz::functions::imports(&stage.ctx, access, &side.function);
    "functionz::functions all_imports" ReadFunctions List |stage, access, side|
        functionz::functions::all_imports(&stage.ctx, access);
    "functionz::logs logs" ReadRuns List |stage, access, side| async {
        functionz::logs::logs(&stage.ctx, access, &LogFilter::default()).await.map(|logs| logs.rows)
    };
    "functionz::logs bundle" ReadRuns Record |stage, access, side|
        functionz::logs::bundle(&stage.ctx, access, &side.run.to_string());
    "functionz::stating registration" ProposeChangeset Name |stage, access, side|
        functionz::stating::registration(&stage.ctx, access, side.name(), stated(side));
    "functionz::stating update" ProposeChangeset Name |stage, access, side|
        functionz::stating::update(&stage.ctx, access, side.name(), stated(side));
    "functionz::triggers of" ReadTriggers Name |stage, access, side|
        functionz::triggers::of(&stage.ctx, access, &side.function);
    "functionz::triggers after" ReadTriggers Name |stage, access, side|
        functionz::triggers::after(&stage.ctx, access, &side.function);
    "functionz::triggers addition" ProposeChangeset Name |stage, access, side|
        functionz::triggers::addition(&stage.ctx, access, side.name(), Some(&side.function));
    "insights of" ReadInsights Name |stage, access, side|
        insights::of(&stage.ctx, access, &side.name(), Timestamp::UNIX_EPOCH);
    "insights all" ReadInsights List |stage, access, side|
        insights::all(&stage.ctx, access, Timestamp::UNIX_EPOCH);
    "functions::names actor" ReadRuns Name |stage, access, side| async {
        names::actor(&stage.ctx, access, &format!("trigger:{}", side.trigger)).await
    };
    "packs list" ReadPacks Whole |stage, access, side| packs::list(&stage.ctx, access);
    "packs find" ReadPacks Whole |stage, access, side| async {
        // There is none: whoever may ask learns that.
        packs::find(&stage.ctx, access, "none").await.map(|_| ()).or_else(|error| match error.code() {
            "not_found" => Ok(()),
            _ => Err(error),
        })
    };
    "packs load" ApplyChangeset Whole |stage, access, side| {
        let (name, origin) = ("p".to_owned(), String::new());
        packs::load(&stage.ctx, access, Load { name, origin, files: Vec::new(), prefix: String::new(), replace: false, breakage: Breakage::Refused })
    };
    "runs::replay replay" ReplayRun Record |stage, access, side| replay::replay(&stage.ctx, access, side.run, |_, _| ());
    "operations::retention prune" PruneRuns Whole |stage, access, side|
        retention::prune(&stage.ctx, access, Retention { newest: Some(1_000_000), ..Retention::default() }, false, |_| ());
    "runs::ids find" ReadRuns Record |stage, access, side| async {
        ids::find(&stage.ctx, access, &side.run.to_string()).await
    };
    "runs::lists page" ReadRuns List |stage, access, side|
        lists::page(&stage.ctx, access, RunFilter::default(), 100);
    "runs::lists of" ReadRuns List |stage, access, side| lists::of(&stage.ctx, access, &[side.run]);
    "runs::watch::endings from_now" ReadRuns List |stage, access, side| async {
        Endings::from_now(&stage.ctx, access).await.map(drop)
    };
    "runs::records show" ReadRuns Record |stage, access, side| records::show(&stage.ctx, access, side.run);
    "runs::code target" ProposeChangeset Name |stage, access, side| async {
        let code = RunCode { name: Some(side.name()), script: "1".to_owned(), ..RunCode::default() };
        code::target(&stage.ctx, access, code, &serde_json::Map::new()).await
    };
    "runs::start start" StartRun Name |stage, access, side| runs::start(&stage.ctx, access, side.start());
    "runs::start begin" StartRun Name |stage, access, side| async {
        runs::begin(&stage.ctx, access, side.start()).await?.ended(&stage.ctx).await
    };
    "runs::start queue" StartRun Name |stage, access, side| runs::queue(&stage.ctx, access, side.start());
    "runs::read get" ReadRuns Record |stage, access, side| runs::get(&stage.ctx, access, side.run);
    "runs::read list" ReadRuns List |stage, access, side| runs::list(&stage.ctx, access, RunFilter::default(), 100);
    "runs::wait wait" ReadRuns Record |stage, access, side| runs::wait(&stage.ctx, access, side.run);
    "runs::wait wait_past" ReadRuns Record |stage, access, side| async {
        let run = runs::get(&stage.ctx, &crate::world::ME, side.run).await?;
        runs::wait_past(&stage.ctx, access, &run).await
    };
    "runs::cancel cancel" CancelRun Record |stage, access, side| async {
        runs::cancel(&stage.ctx, access, side.queued(stage).await.run_id).await
    };
    "budgets of_run" ReadRuns Record |stage, access, side| budgets::of_run(&stage.ctx, access, side.run);
    "budgets extend" ExtendRun Record |stage, access, side| budgets::extend(&stage.ctx, access, side.run, Limits { turns: Some(1), ..Limits::default() });
    "runs::answer answer" AnswerRun Record |stage, access, side| runs::answer(&stage.ctx, access, side.run, json!(1));
    "runs::rerun again" StartRun Record |stage, access, side| async {
        runs::again(&stage.ctx, access, side.run, true).await.map(drop)
    };
    "schedules put" ApplyChangeset Name |stage, access, side|
        schedules::put(&stage.ctx, access, side.schedule.clone(), schedule(side));
    "schedules remove" ApplyChangeset Name |stage, access, side| {
        side.restored(stage).await;
        schedules::remove(&stage.ctx, access, side.schedule.clone())
    };
    "schedules switch" ApplyChangeset Name |stage, access, side| {
        side.restored(stage).await;
        schedules::switch(&stage.ctx, access, side.schedule.clone(), true)
    };
    "schedules list" ReadSchedules List |stage, access, side| schedules::list(&stage.ctx, access, None, 100);
    "schedules show" ReadSchedules Name |stage, access, side| {
        side.restored(stage).await;
        schedules::show(&stage.ctx, access, &side.schedule, 1)
    };
    "schedules now" StartRun Name |stage, access, side| async {
        side.restored(stage).await;
        schedules::now(&stage.ctx, access, &side.schedule).await.map(drop)
    };
    "functions::search search" SearchFunctions List |stage, access, side| search::search(&stage.ctx, access, "get", 10);
    "functions::search rebuild" RebuildSearch Whole |stage, access, side| search::rebuild(&stage.ctx, access);
    "secrets set" ManageSecrets Whole |stage, access, side| async {
        secrets::set(&stage.ctx, access, "one", &value()).await
    };
    "secrets set_for" ManageSecrets Whole |stage, access, side| async {
        secrets::set_for(&stage.ctx, access, "two", &value(), &[]).await
    };
    "secrets list" ManageSecrets Whole |stage, access, side| secrets::list(&stage.ctx, access);
    "secrets remove" ManageSecrets Whole |stage, access, side| async {
        secrets::set(&stage.ctx, &crate::world::ME, "three", &value()).await?;
        secrets::remove(&stage.ctx, access, "three").await
    };
    "sessions list" ManageSessions Whole |stage, access, side| sessions::list(&stage.ctx, access);
    "sessions end" ManageSessions Whole |stage, access, side| async {
        // There is none: whoever may ask learns that.
        sessions::end(&stage.ctx, access, "none").await.or_else(|error| match error.code() {
            "not_found" => Ok(()),
            _ => Err(error),
        })
    };
    "functions::run_tests run" RunTests Name |stage, access, side| async {
        run_tests::run(&stage.ctx, access, &[side.name()]).await
    };
    "functions::mutants run" RunTests Name |stage, access, side| async {
        mutants::run(&stage.ctx, access, &[side.name()]).await
    };
    "functions::provenance show" ReadFunctions Name |stage, access, side| async {
        provenance::show(&stage.ctx, access, &side.name(), Which::Live).await.map(drop)
    };
    "functions::recorded_tests add" ApplyChangeset Record |stage, access, side|
        recorded_tests::add(&stage.ctx, access, side.run, None);
    "functions::run_tests dependents" ReadFunctions List |stage, access, side| async {
        run_tests::dependents(&stage.ctx, access, &[side.name()]).await
    };
    "tokens add" ManageTokens Whole |stage, access, side| async {
        tokens::add(&stage.ctx, access, token(stage)).await.map(drop)
    };
    "tokens list" ManageTokens Whole |stage, access, side| tokens::list(&stage.ctx, access);
    "tokens remove" ManageTokens Whole |stage, access, side| async {
        let (added, _) = tokens::add(&stage.ctx, &crate::world::ME, token(stage)).await?;
        tokens::remove(&stage.ctx, access, &added.name).await
    };
    "triggers put" ApplyChangeset Name |stage, access, side|
        triggers::put(&stage.ctx, access, side.trigger.clone(), side.content());
    "triggers remove" ApplyChangeset Name |stage, access, side| {
        side.restored(stage).await;
        triggers::remove(&stage.ctx, access, side.trigger.clone())
    };
    "triggers switch" ApplyChangeset Name |stage, access, side| {
        side.restored(stage).await;
        triggers::switch(&stage.ctx, access, side.trigger.clone(), false)
    };
    "triggers list" ReadTriggers List |stage, access, side| triggers::list(&stage.ctx, access, None, 100);
    "triggers show" ReadTriggers Name |stage, access, side| {
        side.restored(stage).await;
        triggers::show(&stage.ctx, access, &side.trigger)
    };
    "triggers content" ReadTriggers Name |stage, access, side| {
        side.restored(stage).await;
        triggers::content(&stage.ctx, access, &side.trigger)
    };
    "triggers firings" ReadTriggers Name |stage, access, side|
        triggers::firings(&stage.ctx, access, &side.trigger, None, 100);
    "triggers dry_run" ReadTriggers Name |stage, access, side| async {
        triggers::dry_run(&stage.ctx, access, &side.content(), Timestamp::UNIX_EPOCH).await
    };
    "triggers trial" ReadTriggers Name |stage, access, side| async {
        let (kind, source) = (EventKind::RunFinished, side.function.clone());
        let event = triggers::made_up(&stage.ctx, access, kind, source, json!({}));
        triggers::trial(&stage.ctx, access, &side.content(), &event).await
    };
    "triggers event" ReadEvents Record |stage, access, side| triggers::event(&stage.ctx, access, side.event);
    "functions::warming warm" PrepareEnvironments Name |stage, access, side| async {
        warming::warm(&stage.ctx, access, &[side.name()], Arc::new(|_| ())).await
    };
    "triggers::webhooks receive" EmitEvent Record |stage, access, side|
        webhooks::receive(&stage.ctx, access, &side.webhook, json!({}), None);
    "graphs check" ReadFunctions List |stage, access, side|
        graphs::check(&stage.ctx, access, Some(&side.graph()), &side.graph_content());
    "graphs::blocks callable" ReadFunctions Name |stage, access, side|
        blocks::callable(&stage.ctx, access, &side.name(), None);
    "graphs::drafts list" ReadChangesets List |stage, access, side| drafts::list(&stage.ctx, access, None, 100);
    "graphs::drafts show" ReadChangesets Name |stage, access, side| async {
        side.drafted(stage).await;
        drafts::show(&stage.ctx, access, &side.graph(), &[]).await
    };
    "graphs::drafts edits" ReadChangesets Name |stage, access, side| async {
        side.drafted(stage).await;
        drafts::edits(&stage.ctx, access, &side.graph(), 0).await
    };
    "graphs::drafts patch" ProposeChangeset Name |stage, access, side|
        drafts::patch(&stage.ctx, access, &side.graph(), &[side.patch(stage)], None);
    "graphs::drafts::selections pack" ProposeChangeset Name |stage, access, side| async {
        side.drafted(stage).await;
        drafts::pack(&stage.ctx, access, &side.graph(), &side.selection(stage), None).await
    };
    "graphs::drafts::selections unpack" ProposeChangeset Name |stage, access, side| async {
        side.drafted(stage).await;
        drafts::unpack(&stage.ctx, access, &side.graph(), "nobody", None).await
    };
    "graphs::drafts discard" ProposeChangeset Name |stage, access, side| async {
        side.drafted(stage).await;
        drafts::discard(&stage.ctx, access, &side.graph()).await
    };
    "graphs::drafts::applying rebase" ProposeChangeset Name |stage, access, side| async {
        side.drafted(stage).await;
        drafts::rebase(&stage.ctx, access, &side.graph(), false).await
    };
    "graphs::drafts::applying apply" ApplyChangeset Name |stage, access, side| async {
        side.drafted(stage).await;
        let edit = stage.ctx.store.graph_draft(&side.graph()).await.unwrap().map_or(0, |draft| draft.edit);
        let seen = drafts::SeenDraft { name: side.graph(), edit };
        drafts::apply(&stage.ctx, access, &[seen], None, Breakage::Refused).await
    };
    "graphs::exchange::import import" ApplyChangeset Name |stage, access, side| {
        let file = format!("{{\"nodes\": [{{\"id\": \"a\", \"block\": \"{}\"}}]}}", side.function).into_bytes();
        exchange::import(&stage.ctx, access, GraphImport { file, name: Some(side.graph()), ..GraphImport::default() })
    };
    "graphs::exchange::export export" ReadFunctions Name |stage, access, side| async {
        side.drafted(stage).await;
        exchange::export(&stage.ctx, access, &side.graph(), GraphSource::Draft, Format::Selfmade).await
    };
    "graphs::drawing draw" ReadFunctions Name |stage, access, side| async {
        side.drafted(stage).await;
        drawing::draw(&stage.ctx, access, &side.graph(), GraphSource::Draft, Drawing::Svg).await
    };
    "graphs::estimates estimate" ReadFunctions Name |stage, access, side| async {
        side.drafted(stage).await;
        estimates::estimate(&stage.ctx, access, &side.graph(), GraphSource::Draft).await
    };
    "graphs::upgrades list" ReadFunctions Name |stage, access, side| async {
        side.drafted(stage).await;
        upgrades::list(&stage.ctx, access, &side.graph(), GraphSource::Draft).await
    };
    "graphs::drafts::pins pin" ProposeChangeset Name |stage, access, side| async {
        side.drafted(stage).await;
        drafts::pin(&stage.ctx, access, &side.graph(), "a", pinning()).await
    };
    "graphs::drafts::pins unpin" ProposeChangeset Name |stage, access, side| async {
        side.drafted(stage).await;
        drafts::pin(&stage.ctx, &crate::world::ME, &side.graph(), "a", pinning()).await?;
        drafts::unpin(&stage.ctx, access, &side.graph(), "a").await
    };
    "models list" ReadModels Whole |stage, access, side| models::list(&stage.ctx, access);
    "models get" ReadModels Whole |stage, access, side| async {
        side.model(stage).await;
        models::get(&stage.ctx, access, &side.model_name()).await
    };
    "models put" ManageModels Whole |stage, access, side|
        models::put(&stage.ctx, access, &side.model_name(), side.new_model());
    "models remove" ManageModels Whole |stage, access, side| async {
        side.model(stage).await;
        models::remove(&stage.ctx, access, &side.model_name()).await
    };
    "models test" ManageModels Whole |stage, access, side| async {
        let server = side.scripted_model().await;
        let new = NewModel { base_url: server.base_url(), ..side.new_model() };
        models::put(&stage.ctx, &crate::world::ME, &side.model_name(), new).await?;
        models::test(&stage.ctx, access, &side.model_name()).await.map(|tested| tested.said)
    };
    "models found" ManageModels Whole |stage, access, side| models::found(&stage.ctx, access);
    "presets list" ReadPresets List |stage, access, side| async {
        side.preset(stage).await;
        presets::list(&stage.ctx, access, None, None, 100).await
    };
    "presets show" ReadPresets Name |stage, access, side| async {
        side.preset(stage).await;
        presets::show(&stage.ctx, access, &side.name(), "daily").await
    };
    "presets put" ChangePresets Name |stage, access, side|
        presets::put(&stage.ctx, access, &side.name(), "other", serde_json::Map::new());
    "presets remove" ChangePresets Name |stage, access, side| async {
        side.preset(stage).await;
        presets::remove(&stage.ctx, access, &side.name(), "daily").await
    };
    "presets input" StartRun Name |stage, access, side| async {
        side.preset(stage).await;
        presets::input(&stage.ctx, access, &side.name(), "daily", serde_json::Map::new()).await
    };
    "runs::breakpoints held" ReadRuns Record |stage, access, side| breakpoints::held(&stage.ctx, access, side.run);
    "runs::breakpoints release" AnswerRun Record |stage, access, side|
        breakpoints::release(&stage.ctx, access, side.run, breakpoints::Release::default());
    "runs::resume plan" ReadRuns Record |stage, access, side| resume::plan(&stage.ctx, access, side.run);
    "runs::resume resume" StartRun Record |stage, access, side| async {
        resume::resume(&stage.ctx, access, side.run, false).await.map(drop)
    };
    "runs::nodes list" ReadRuns Record |stage, access, side|
        nodes_of_runs::list(&stage.ctx, access, side.run, &NodeFilter { limit: 100, ..NodeFilter::default() });
}
