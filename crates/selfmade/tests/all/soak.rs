//! A soak: the real program under a mixed load, with cancels at random, until everything has ended. Nothing fails here but what people
//! cancel, so nothing may be left under way, lost, or recovered. `cargo xtask soak` goes on for as long as it is told.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use model::content::Content;
use model::run::{Run, RunState, Waiting};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::killing::load;
use crate::serving::ask;
use crate::world::World;

/// Of an ordinary test run.
const SECONDS: u64 = 15;
/// People who start something and wait for it, beside one who queues.
const CALLERS: u64 = 3;
/// Nothing more is queued while this many have not ended, so that the queue does not only grow.
const MOST_OPEN: usize = 60;
/// On a busy machine all of it may take long, but some Run ends in less than this, or none ever does.
const PATIENCE: Duration = Duration::from_secs(60);

fn seconds() -> u64 {
    std::env::var("SELFMADE_SOAK_SECONDS").map_or(SECONDS, |text| text.parse().expect("a number of seconds"))
}

/// Functions after each other and beside a wait, and one that goes on when its person answers.
fn flow() -> Content {
    let content = json!({
        "kind": "graph",
        "nodes": [
            {"id": "in", "block": "@input", "input": {"name": "n", "value": 1}},
            {"id": "leaf", "block": "leaf"},
            {"id": "chain", "block": "chain"},
            {"id": "wait", "block": "@wait", "input": {"seconds": 3}},
            {"id": "asker", "block": "asker"},
            {"id": "limited", "block": "limited"},
            {"id": "out", "block": "@output", "input": {"name": "out"}},
        ],
        "links": [
            {"from": "in", "from_pin": "output", "to": "leaf", "to_pin": "n"},
            {"from": "leaf", "from_pin": "output", "to": "chain", "to_pin": "n"},
            {"from": "in", "from_pin": "output", "to": "wait", "to_pin": "value"},
            {"from": "wait", "from_pin": "output", "to": "asker", "to_pin": "n"},
            {"from": "in", "from_pin": "output", "to": "limited", "to_pin": "n"},
            {"from": "chain", "from_pin": "output", "to": "out", "to_pin": "value"},
        ],
    });
    serde_json::from_value(content).unwrap()
}

const STARTED: [&str; 8] = ["chain", "risky", "waiter", "safe", "asker", "leaf", "flow", "flow"];

/// Somebody who sends requests to the server.
struct Caller {
    address: String,
    token: String,
    /// Knuth's multiplier for 64 bits makes the next of it.
    chance: u64,
}

impl Caller {
    fn below(&mut self, bound: usize) -> usize {
        self.chance =
            self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.chance >> 33) as usize % bound
    }

    /// The status and the body of an answer.
    fn send(&self, method: &str, path: &str, headers: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = ask(
            &self.address,
            &format!(
                "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
                 Content-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
                self.address,
                self.token,
                body.len()
            ),
        );
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    fn start(&mut self, prefer: &str) -> (u16, Value) {
        let function = STARTED[self.below(STARTED.len())];
        let body = json!({ "function": function, "input": { "n": self.below(100) } });
        self.send("POST", "/api/v1/runs", &format!("Prefer: {prefer}\r\n"), &body)
    }

    fn open(&self) -> Vec<Value> {
        let states = ["queued", "running", "waiting"];
        let listed = |state: &&str| {
            let (_, page) =
                self.send("GET", &format!("/api/v1/runs?state={state}&limit=200"), "", &Value::Null);
            page["items"].as_array().cloned().unwrap_or_default()
        };
        states.iter().flat_map(listed).collect()
    }

    /// Cancels any Run that has not ended, also one that another started.
    fn cancel_one(&mut self) -> bool {
        let open = self.open();
        if open.is_empty() {
            return false;
        }
        let run = open[self.below(open.len())]["run_id"].as_str().unwrap().to_owned();
        let (status, answer) = self.send("POST", &format!("/api/v1/runs/{run}/cancel"), "", &Value::Null);
        // It may have ended since.
        assert!(status == 200 || status == 409, "cancelling run {run}: {status} {answer}");
        status == 200
    }

    fn answer_one(&mut self) {
        let (_, page) = self.send("GET", "/api/v1/runs?state=waiting&limit=200", "", &Value::Null);
        let waiting = page["items"].as_array().cloned().unwrap_or_default();
        if !waiting.is_empty() {
            let run = waiting[self.below(waiting.len())]["run_id"].as_str().unwrap().to_owned();
            // Not all that wait have asked.
            self.send("POST", &format!("/api/v1/runs/{run}/answer"), "", &json!({ "answer": "yes" }));
        }
    }

    /// A counter or gauge without labels, or the sum over its labels.
    fn metric(&self, name: &str) -> f64 {
        let text = ask(
            &self.address,
            &format!(
                "GET /metrics HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\r\n",
                self.address, self.token
            ),
        );
        let is_it = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '{']));
        text.lines().filter(is_it).filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
    }
}

/// Everybody acts until the time is over. Says how many Runs were cancelled.
fn act(address: &str, token: &str) -> u64 {
    let until = Instant::now() + Duration::from_secs(seconds());
    let (is_over, mut cancelled) = (AtomicBool::new(false), 0);
    let caller = |chance| Caller { address: address.to_owned(), token: token.to_owned(), chance };
    std::thread::scope(|scope| {
        for number in 1..=CALLERS {
            let (mut waits, is_over) = (caller(number), &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let (status, answer) = waits.start("wait=5");
                    assert!([200, 202, 503].contains(&status), "{status} {answer}");
                }
            });
        }
        let (mut queues, is_over_for_them) = (caller(CALLERS + 1), &is_over);
        scope.spawn(move || {
            while !is_over_for_them.load(Ordering::Relaxed) {
                if queues.open().len() < MOST_OPEN {
                    let (status, answer) = queues.start("respond-async");
                    assert_eq!(status, 202, "{answer}");
                }
            }
        });
        let mut person = caller(4_711);
        while Instant::now() < until {
            match person.below(4) {
                0 => cancelled += u64::from(person.cancel_one()),
                _ => person.answer_one(),
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    cancelled
}

/// Returns what has not ended when nothing more ends.
async fn left(world: &World) -> Vec<Run> {
    let (mut until, mut fewest) = (Instant::now() + PATIENCE, usize::MAX);
    loop {
        load::answer(world).await;
        let open: Vec<Run> = world.runs().await.into_iter().filter(|run| !run.state.is_final()).collect();
        if open.is_empty() || Instant::now() > until {
            return open;
        }
        if open.len() < fewest {
            (until, fewest) = (Instant::now() + PATIENCE, open.len());
        }
    }
}

fn described(run: &Run) -> String {
    let waits = run.waiting.as_ref().map(|waiting| match waiting {
        Waiting::Person { .. } => "for a person",
        Waiting::Time { .. } => "for a time",
        Waiting::Runs { .. } => "for runs",
        Waiting::Breakpoints { .. } => "at a breakpoint",
        Waiting::Decision { .. } => "for a decision",
    });
    let is_cancelled = run.cancelled.is_some();
    format!(
        "run {} of `{}` is {:?} {waits:?}, cancelled: {is_cancelled}",
        run.run_id, run.key.name, run.state
    )
}

async fn soak(database: &TestDatabase) {
    let world = World::open(database).await;
    load::prepare(&world).await;
    world.put("flow", flow()).await;
    let token = world.place.data(&["token", "add", "soak", "--role", "admin"]).trim().to_owned();
    let mut server = world.place.start(&["serve"]);
    let address = server.says("listening at").rsplit("//").next().unwrap().to_owned();
    let acting = {
        let (address, token) = (address.clone(), token.clone());
        tokio::task::spawn_blocking(move || act(&address, &token))
    };
    let cancelled = acting.await.unwrap();
    load::pause(&world).await;
    let left = left(&world).await;
    assert!(left.is_empty(), "{}", left.iter().map(described).collect::<Vec<_>>().join("\n"));
    let runs = world.runs().await;
    let mut ended: BTreeMap<(String, &str), u32> = BTreeMap::new();
    for run in &runs {
        *ended.entry((run.key.name.to_string(), run.state.as_str())).or_default() += 1;
        // A Graph fails if one of its nodes is cancelled, and so does what waits for a Run that is.
        let may_fail = ["flow", "chain", "waiter"].contains(&run.key.name.as_str());
        let is_right = match run.state {
            RunState::Cancelled => run.cancelled.is_some(),
            RunState::Failed => may_fail,
            state => state == RunState::Succeeded,
        };
        assert!(is_right, "{}: {:?}", described(run), run.error);
    }
    println!("{} runs, {cancelled} cancels: {ended:?}", runs.len());
    let asks = Caller { address, token, chance: 0 };
    for name in ["selfmade_runs_under_way", "selfmade_runs", "selfmade_runs_recovered_total"] {
        assert_eq!(asks.metric(name), 0.0, "{name}");
    }
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
}

store::on_both! {
    async fn everything_ends_whatever_is_cancelled(database: &TestDatabase) {
        soak(database).await;
    }
}
