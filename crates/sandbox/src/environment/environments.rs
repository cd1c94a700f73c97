//! All environments of one interpreter and one policy. A set of requirements is locked once and made once, however many tasks
//! and processes ask for it at the same time.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OnceCell, OwnedMutexGuard};

use crate::environment::Environment;
use crate::environment::build::Build;
use crate::environment::cache::{Cache, Hold, making};
use crate::environment::config::EnvironmentsConfig;
use crate::environment::error::Error;
use crate::environment::interpreter::Interpreter;
use crate::environment::lock::{self, Lock};
use crate::environment::made::{Made, PACKAGES};
use crate::environment::progress::Progress;
use crate::environment::prune::{self, Keep, Pruned};
use crate::environment::requirements::Requirements;
use crate::environment::uv::Uv;

/// What was built from source has the hashes of what it was built from, and was made by the package's own code. So a brain that takes
/// wheels only must not find it: it has a cache of its own in here.
const BUILT: &str = "built_from_source";

/// Hears how it goes.
pub(super) type Tell<'a> = dyn Fn(Progress) + Send + Sync + 'a;

pub struct Environments {
    config: EnvironmentsConfig,
    cache: Arc<Cache>,
    interpreter: Interpreter,
    uv: OnceCell<Uv>,
    /// Environments that someone has, with the hold that keeps other processes from pruning them.
    in_use: Mutex<HashMap<Requirements, InUse>>,
    /// Tasks wait here for each other, so that at most one of them waits for other processes on a thread.
    turns: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

struct InUse {
    environment: Weak<Environment>,
    _hold: Option<File>,
}

impl Environments {
    /// Finds the interpreter and opens the cache folder. `uv` is looked for when it is first needed.
    pub async fn open(config: EnvironmentsConfig) -> Result<Environments, Error> {
        let cache = Arc::new(match config.policy.allow_source {
            true => Cache::open(&config.cache.join(BUILT))?,
            false => Cache::open(&config.cache)?,
        });
        let interpreter = Interpreter::find(&config).await?;
        Ok(Environments {
            config,
            cache,
            interpreter,
            uv: OnceCell::new(),
            in_use: Mutex::default(),
            turns: Mutex::default(),
        })
    }

    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// The environment for these requirements, made now if it is not there.
    pub async fn get(&self, requirements: &Requirements) -> Result<Arc<Environment>, Error> {
        self.get_telling(requirements, &|_| ()).await
    }

    /// Like [`Environments::get`], telling how it goes.
    pub async fn get_telling(
        &self,
        requirements: &Requirements,
        tell: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Arc<Environment>, Error> {
        if let Some(environment) = self.known(requirements) {
            return Ok(environment);
        }
        if requirements.is_empty() {
            return Ok(self.remember(requirements, self.bare(requirements), None));
        }
        let lock = self.allowed(requirements, tell).await?;
        let (made, hold) = self.made_of(&lock, tell).await?;
        Ok(self.remember(requirements, self.environment(&made, requirements), Some(hold)))
    }

    /// Decides which files these requirements mean, without fetching them; they mean the same from then on.
    pub async fn resolve(&self, requirements: &Requirements) -> Result<(), Error> {
        if requirements.is_empty() {
            return Ok(());
        }
        self.allowed(requirements, &|_| ()).await.map(drop)
    }

    /// The lock of requirements, if the policy allows all that is in it.
    async fn allowed(&self, requirements: &Requirements, tell: &Tell<'_>) -> Result<Lock, Error> {
        for name in requirements.names() {
            self.config.policy.check(name, true)?;
        }
        let lock = self.lock(requirements, tell).await?;
        for package in &lock.packages {
            let direct = requirements.names().any(|name| name == package.name);
            self.config.policy.check(&package.name, direct)?;
        }
        Ok(lock)
    }

    /// What is known of an environment that was made, by its id.
    pub fn made(&self, id: &str) -> Option<Made> {
        Made::load(&self.cache.environment(id)).filter(|made| made.id == id)
    }

    /// The packages of a set with versions and hashes, if it was ever resolved.
    pub fn locked(&self, requirements: &Requirements) -> Option<String> {
        let key = Lock::key(requirements, &self.interpreter, &self.config);
        Lock::load(&self.cache, &key).map(|lock| lock.text)
    }

    /// Takes away the environments used longest ago, beyond what is to be kept and not in use, and downloads that none has.
    pub async fn prune(&self, keep: Keep) -> Result<Pruned, Error> {
        self.let_go();
        let before = self.with_cache(prune::usage).await?;
        let environments = self.with_cache(move |cache| prune::environments(cache, keep)).await?;
        if self.cache.downloads().exists() {
            let unused = self.with_cache(prune::unused).await?;
            self.uv(&|_| ()).await?.clean(&unused).await?;
        }
        let after = self.with_cache(prune::usage).await?;
        Ok(Pruned { environments, bytes: before.saturating_sub(after) })
    }

    /// Work on many files, away from the tasks.
    async fn with_cache<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Cache) -> Result<T, Error> + Send + 'static,
    {
        let cache = Arc::clone(&self.cache);
        let done = tokio::task::spawn_blocking(move || work(&cache)).await;
        done.map_err(io::Error::other).map_err(Error::cache(&self.cache.root))?
    }

    async fn lock(&self, requirements: &Requirements, tell: &Tell<'_>) -> Result<Lock, Error> {
        let key = Lock::key(requirements, &self.interpreter, &self.config);
        if let Some(lock) = Lock::load(&self.cache, &key) {
            return Ok(lock);
        }
        let _turn = self.turn(&key, tell).await;
        let _hold = self.cache.hold(&key, Hold::Alone, tell).await?;
        if let Some(lock) = Lock::load(&self.cache, &key) {
            return Ok(lock);
        }
        let lock = Lock::resolve(self.uv(tell).await?, requirements, &self.config, tell).await?;
        lock.store(&self.cache, &key)?;
        Ok(lock)
    }

    /// The environment of a lock, and a hold that keeps it there.
    async fn made_of(&self, lock: &Lock, tell: &Tell<'_>) -> Result<(Made, File), Error> {
        let id = lock.environment_id(&self.interpreter);
        let _turn = self.turn(&id, tell).await;
        loop {
            let hold = self.cache.hold(&id, Hold::Shared, tell).await?;
            if let Some(made) = self.intact(&id).await {
                let used = self.cache.used(&id);
                fs::write(&used, "").map_err(Error::cache(&used))?;
                return Ok((made, hold));
            }
            // Whoever made it goes on to use it, so waiting to have it alone could last for ever; making has a hold of its own.
            drop(hold);
            let _making = self.cache.hold(&making(&id), Hold::Alone, tell).await?;
            if self.intact(&id).await.is_none() {
                self.build(&id, lock, tell).await?;
            }
        }
    }

    async fn build(&self, id: &str, lock: &Lock, tell: &Tell<'_>) -> Result<(), Error> {
        let uv = self.uv(tell).await?;
        let (cache, config, interpreter) = (&*self.cache, &self.config, &self.interpreter);
        Build { id, lock, uv, cache, config, interpreter }.make(tell).await
    }

    async fn intact(&self, id: &str) -> Option<Made> {
        let folder = self.cache.environment(id);
        tokio::task::spawn_blocking(move || Made::load_intact(&folder)).await.ok()?
    }

    async fn uv(&self, tell: &Tell<'_>) -> Result<&Uv, Error> {
        self.uv.get_or_try_init(|| Uv::find(&self.config, &self.cache, &self.interpreter, tell)).await
    }

    fn bare(&self, requirements: &Requirements) -> Environment {
        Environment {
            id: lock::bare_id(&self.interpreter),
            python: self.interpreter.executable.clone(),
            shown: self.interpreter.shown(&self.cache.root),
            site_packages: Vec::new(),
            preload: requirements.preload().unwrap_or_default().to_vec(),
        }
    }

    fn environment(&self, made: &Made, requirements: &Requirements) -> Environment {
        let packages = self.cache.environment(&made.id).join(PACKAGES);
        let mut environment = self.bare(requirements);
        if requirements.preload().is_none() {
            let modules = requirements.names().filter_map(|name| made.modules.get(name));
            environment.preload = modules.flatten().cloned().collect();
        }
        environment.id.clone_from(&made.id);
        environment.shown.push(packages.clone());
        environment.site_packages.push(packages);
        environment
    }

    fn known(&self, requirements: &Requirements) -> Option<Arc<Environment>> {
        let in_use = self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.get(requirements)?.environment.upgrade()
    }

    fn remember(
        &self,
        requirements: &Requirements,
        environment: Environment,
        hold: Option<File>,
    ) -> Arc<Environment> {
        self.let_go();
        let mut in_use = self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = in_use.get(requirements).and_then(|known| known.environment.upgrade()) {
            return known;
        }
        let environment = Arc::new(environment);
        in_use.insert(requirements.clone(), InUse { environment: Arc::downgrade(&environment), _hold: hold });
        environment
    }

    /// Lets go of environments that nobody has any more.
    fn let_go(&self) {
        let mut in_use = self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.retain(|_, known| known.environment.strong_count() > 0);
    }

    async fn turn(&self, name: &str, tell: &Tell<'_>) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            Arc::clone(turns.entry(name.to_owned()).or_default())
        };
        if let Ok(mine) = Arc::clone(&turn).try_lock_owned() {
            return mine;
        }
        tell(Progress::Waiting);
        turn.lock_owned().await
    }
}
