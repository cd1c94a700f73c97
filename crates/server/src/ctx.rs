//! What a verb works with: the store, the clock, chance, and the keys and indexes kept beside the database.

use std::path::PathBuf;
use std::sync::Arc;

use model::access::Authority;
use model::access::actor::Actor;
use model::access::audit::AuditRecord;
use model::ids::{BrainId, RunId};
use model::run::retention::RetentionPolicy;
use sandbox::Expressions;
use serde_json::Value;
use store::Store;
use tokio::sync::Mutex;

use crate::clock::Clock;
use crate::config::{Config, NotifyConfig};
use crate::engine::{Cells, Engine, Executor, Requests, keep_requests};
use crate::error::Error;
use crate::host_verbs;
use crate::http_client::HttpClient;
use crate::ids::Ids;
use crate::live::Triggers;
use crate::metrics::Metrics;
use crate::search::SearchIndexes;
use crate::secrets::redaction::Redaction;
use crate::secrets::redaction_cache::Redactions;
use crate::secrets::seal::KeySource;
use crate::secrets::sealed_secrets::SealedSecrets;
use crate::signals::Signals;
use crate::traces::Traces;

#[derive(Clone)]
pub struct Ctx {
    pub store: Store,
    pub clock: Clock,
    pub ids: Ids,
    pub brain_id: BrainId,
    pub(crate) keys: KeySource,
    pub(crate) search: Arc<SearchIndexes>,
    pub engine: Arc<Engine>,
    pub(crate) signals: Arc<Signals>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) traces: Traces,
    pub(crate) triggers: Triggers,
    /// For everything that this server asks of others.
    pub(crate) http_client: HttpClient,
    /// Conditions and templates.
    pub(crate) expressions: Arc<Expressions>,
    home: PathBuf,
    /// What stays of the records of Runs.
    pub(crate) keep: RetentionPolicy,
    /// Who learns that something waits or keeps failing.
    pub(crate) notify: Arc<NotifyConfig>,
    redactions: Redactions,
    pub(crate) sealed_secrets: SealedSecrets,
    /// Where cells tell what they ask of the network.
    requests: Option<Requests>,
    /// Appliers of one process take turns rather than make each other's work stale. Their tests run outside of it.
    pub(crate) applying: Arc<Mutex<()>>,
}

impl Ctx {
    pub async fn open(config: Config) -> Result<Ctx, Error> {
        let clock = Clock::System;
        let ids = Ids::random(clock.clone());
        Ctx::open_with(config, clock, ids).await
    }

    pub async fn open_with(config: Config, clock: Clock, ids: Ids) -> Result<Ctx, Error> {
        let (requests, told) = Requests::new();
        let cells = Cells::new(config.cells.clone(), clock.system_time(), Arc::new(requests.clone()));
        let expressions = Expressions::new(config.cells.sandbox.stage1.clone());
        let mut ctx = Ctx::open_executing(config, clock, ids, Arc::new(cells)).await?;
        ctx.expressions = Arc::new(expressions);
        tokio::spawn(keep_requests(ctx.clone(), requests.expected.clone(), told));
        ctx.requests = Some(requests);
        Ok(ctx)
    }

    /// With someone else to execute functions than cells, and expressions in this process.
    pub async fn open_executing(
        config: Config,
        clock: Clock,
        ids: Ids,
        executor: Arc<dyn Executor>,
    ) -> Result<Ctx, Error> {
        let store = Store::open(&config.database).await?;
        let brain_id = store.brain_id(ids.uuid()).await?;
        let engine = Engine::new(ids.node(), config.engine.clone(), executor, host_verbs::of_run);
        let signals = Arc::<Signals>::default();
        let woken = Arc::clone(&signals);
        store.on_change(engine.node(), move |changes| woken.publish(changes));
        Ok(Ctx {
            store,
            clock,
            ids,
            brain_id,
            search: Arc::new(SearchIndexes::new(config.search_folder())),
            engine: Arc::new(engine),
            signals,
            metrics: Arc::default(),
            traces: Traces::default(),
            triggers: Triggers::default(),
            http_client: HttpClient::new(config.http_client.clone()),
            expressions: Arc::new(Expressions::in_this_process()),
            home: config.home.clone(),
            keep: config.keep,
            notify: Arc::new(config.notify.clone()),
            redactions: Redactions::default(),
            sealed_secrets: SealedSecrets::default(),
            requests: None,
            keys: KeySource::new(config.secrets_key_file(), config.secrets_key),
            applying: Arc::default(),
        })
    }

    /// The same, evaluating expressions in this process: for tests, which are not a program that can be started again.
    #[must_use]
    pub fn evaluating_here(self) -> Ctx {
        Ctx { expressions: Arc::new(Expressions::in_this_process()), ..self }
    }

    /// Who does what to what, now.
    pub(crate) fn audit(&self, actor: &Actor, verb: &str, subject: &str, details: Value) -> AuditRecord {
        AuditRecord {
            audit_id: self.ids.audit(),
            at: self.clock.now(),
            actor: actor.clone(),
            verb: verb.to_owned(),
            subject: subject.to_owned(),
            details,
        }
    }

    /// The files of one Run.
    pub(crate) fn run_folder(&self, run: RunId) -> PathBuf {
        self.runs_folder().join(run.to_string())
    }

    /// A folder for each Run that has files.
    pub(crate) fn runs_folder(&self) -> PathBuf {
        self.home.join("files")
    }

    /// What is being received and is too large for memory.
    pub(crate) fn uploads_folder(&self) -> PathBuf {
        self.home.join("uploads")
    }

    /// Redacts the secrets that may be used by one of these: what someone passes in is compared with no others.
    pub(crate) async fn redaction_for(&self, authorities: &[&Authority]) -> Result<Arc<Redaction>, Error> {
        let changed = self.store.heads().await?.secrets_changed;
        self.redaction_after(changed, authorities).await
    }

    /// The same for whoever has just read when a secret was changed last.
    pub(crate) async fn redaction_after(
        &self,
        changed: u64,
        authorities: &[&Authority],
    ) -> Result<Arc<Redaction>, Error> {
        if authorities.iter().all(|authority| authority.grants.0.is_empty()) {
            return Ok(Arc::default());
        }
        let may_use = |name: &str| authorities.iter().any(|authority| authority.grants.secret(name));
        self.redactions.of(self, changed, may_use).await
    }

    /// Requests that this Run makes of the network are recorded without these secrets.
    pub(crate) fn expect_requests(&self, run: RunId, redaction: &Arc<Redaction>) {
        if let Some(requests) = &self.requests {
            requests.expected.expect(run, Arc::clone(redaction));
        }
    }

    /// Requests of this Run are not recorded from now on; returns when those that were are written.
    pub(crate) async fn forget_requests(&self, run: RunId) {
        if let Some(requests) = &self.requests {
            requests.expected.forget(run);
            requests.flush().await;
        }
    }

    /// Ends what is being executed and waits for what is being written.
    pub async fn close(self) {
        self.engine.executor.stop().await;
        if let Some(requests) = &self.requests {
            requests.flush().await;
        }
        self.store.close().await;
    }
}
