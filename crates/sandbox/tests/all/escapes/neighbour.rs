//! The cell beside an attack: another job of the same sandbox, with a file, a socket and a secret of its own, that runs
//! before the attack begins and says after it whether all is as it was.

use std::sync::Arc;

use selfmade_sandbox::{Arguments, BoxFuture, CancellationToken, Ending, Host, HostError, Outcome, Value};
use serde_json::json;
use tokio::sync::Notify;

use crate::support::World;

const SOURCE: &str = include_str!("neighbour.py");
/// The secret goes on after this, so that an attack can look for it without holding it.
const BEGINS: &str = "the neighbour's secret: ";

pub(super) struct Neighbour {
    /// As the supervisor sees it.
    pid: i32,
}

#[derive(Default)]
struct Bell {
    up: Arc<Notify>,
    over: Arc<Notify>,
}

impl Host for Bell {
    fn verb(&self, _lane: &str, _verb: &str, _arguments: Arguments) -> BoxFuture<Result<Value, HostError>> {
        let over = Arc::clone(&self.over);
        self.up.notify_one();
        Box::pin(async move {
            over.notified().await;
            Ok(Value::None)
        })
    }
}

impl Neighbour {
    /// Has a neighbour while something happens, and tells what became of it.
    pub(super) async fn beside<T>(
        world: &World,
        happens: impl AsyncFnOnce(&Neighbour) -> T,
    ) -> (Result<(), String>, T) {
        world.sandbox.prepare(&world.environment).await.unwrap();
        let neighbour = Neighbour { pid: world.sandbox.processes().1[0] };
        let mut job = world.job(SOURCE, json!({ "told": neighbour.told() }));
        job.secrets = [("K".to_owned(), format!("{BEGINS}42"))].into();
        job.verbs = vec!["wait".to_owned()];
        let bell = Arc::new(Bell::default());
        let cancel = CancellationToken::new();
        let mut living = Box::pin(world.sandbox.run(&job, Arc::clone(&bell) as Arc<dyn Host>, &cancel));
        tokio::select! {
            ended = &mut living => panic!("the neighbour did not live: {ended:?}"),
            () = bell.up.notified() => {}
        }
        let happening = async {
            let result = happens(&neighbour).await;
            bell.over.notify_one();
            result
        };
        let (lived, result) = tokio::join!(living, happening);
        (untouched(lived.unwrap()), result)
    }

    pub(super) fn told(&self) -> serde_json::Value {
        json!({ "pid": self.pid, "file": "/tmp/a file of the neighbour", "abstract": "neighbour", "begins": BEGINS })
    }
}

fn untouched(outcome: Outcome) -> Result<(), String> {
    match outcome.ending {
        Ending::Returned(value) if value == Value::from("untouched") => Ok(()),
        other => Err(format!("the cell beside it ended as {other:?}")),
    }
}
