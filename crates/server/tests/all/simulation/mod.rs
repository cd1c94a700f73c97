//! Deterministic simulation: two servers over one real database, with a clock that the simulation moves and a gate at which every
//! call to the database waits until the simulation lets it through, lets it fail, or loses its answer.
//!
//! A seed is a plan: what people start, cancel and answer, when time passes and how much, which calls fail and which servers die, and
//! in which order all of that happens. Afterwards nothing fails any more, time passes, and `invariants` says what must hold.
//! `cargo xtask simulate` tries many seeds, or one.

mod actions;
mod brain;
mod chance;
mod idle;
mod invariants;
mod quiet;
mod runner;
mod servers;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use server::clock::Clock;
use server::ids::Ids;
use store::Store;
use store::testing::{AtGate, Gate, Passage, TestDatabase};

use self::actions::{Cancel, Request};
use self::brain::Played;
use self::chance::Chance;
use self::idle::Idle;
use self::servers::{Server, Shared};
use crate::world::NOON;

/// What must never happen, and has.
pub(crate) type Violation = String;

/// Servers that use the brain at once.
const SERVERS: usize = 2;

struct Simulation<'a> {
    chance: Chance,
    idle: Arc<Idle>,
    shared: Shared,
    database: &'a TestDatabase,
    /// Reads past the gate.
    observer: Store,
    /// A place is empty while its server is gone.
    servers: [Option<Server>; SERVERS],
    /// How many were started.
    started: usize,
    played: Arc<Played>,
    requests: Vec<Request>,
    cancels: Vec<Cancel>,
    faults: Faults,
    /// Calls fail, but no server dies and no lease runs out, so that no Run may be lost.
    is_gentle: bool,
    /// What happened, in order.
    trace: Vec<String>,
}

/// Chances in a hundred of each call.
#[derive(Clone, Copy, Default)]
struct Faults {
    fail_before: u64,
    lose_answer: u64,
    hold_answer: u64,
    /// By the place of the server: all its calls fail.
    is_down: [bool; SERVERS],
}

/// What came of one seed.
pub(crate) struct Simulated {
    pub(crate) trace: Vec<String>,
    pub(crate) violations: Vec<Violation>,
}

/// Simulates one seed over a database that holds the brain.
fn simulate(seed: u64, database: &TestDatabase) -> Simulated {
    let gate = Gate::default();
    let (runtime, idle) = Idle::runtime(&gate);
    runtime.block_on(async {
        let mut simulation = Simulation::open(seed, database, gate, idle).await;
        simulation.run().await;
        let violations = match simulation.come_to_rest().await {
            Ok(()) => simulation.violations().await,
            Err(violation) => vec![violation],
        };
        Simulated { trace: simulation.trace, violations }
    })
}

impl<'a> Simulation<'a> {
    async fn open(seed: u64, database: &'a TestDatabase, gate: Gate, idle: Arc<Idle>) -> Simulation<'a> {
        let mut chance = Chance::of(seed);
        let clock = Clock::still(NOON.parse::<Timestamp>().unwrap() + Duration::from_secs(1));
        let played = Arc::<Played>::default();
        let (ids, script) = (Ids::counting(clock.clone()), brain::script(&played));
        let faults = Faults {
            fail_before: *chance.one(&[0, 0, 2, 5, 15]).unwrap(),
            lose_answer: *chance.one(&[0, 0, 2, 5, 15]).unwrap(),
            hold_answer: *chance.one(&[0, 10, 40]).unwrap(),
            ..Faults::default()
        };
        let is_gentle = chance.in_hundred(40);
        let mut simulation = Simulation {
            chance,
            idle,
            shared: Shared { gate, clock, ids, script },
            database,
            observer: Store::open(database.location()).await.unwrap(),
            servers: [const { None }; SERVERS],
            started: 0,
            played,
            requests: Vec::new(),
            cancels: Vec::new(),
            faults,
            is_gentle,
            trace: Vec::new(),
        };
        for place in 0..SERVERS {
            simulation.start_server(place).await;
        }
        simulation
    }

    async fn start_server(&mut self, place: usize) {
        // Nobody else does anything while it is opened, and it has begun when others go on.
        self.idle.wait().await;
        self.started += 1;
        self.servers[place] = Some(Server::start(self.started, &self.shared, self.database).await);
        self.note(format!("server {} starts at place {place}", self.started));
        self.idle.wait().await;
    }

    /// Acts, and lets some calls through after each action.
    async fn run(&mut self) {
        for _ in 0..self.chance.between(6, 24) {
            // Otherwise what is asked now would race with what the last call is answered.
            self.idle.wait().await;
            self.act().await;
            for _ in 0..self.chance.between(0, 24) {
                self.idle.wait().await;
                if !self.let_one_through() {
                    break;
                }
            }
        }
    }

    /// Lets a call or an answer through, whichever chance picks. False if none waits.
    fn let_one_through(&mut self) -> bool {
        let waiting = self.waiting();
        let Some(at_gate) = self.chance.one(&waiting).copied() else { return false };
        let passage = self.passage(at_gate);
        self.let_through(at_gate, passage);
        true
    }

    fn passage(&mut self, at_gate: AtGate) -> Passage {
        let place = self.place_of(at_gate.server);
        let drawn = self.chance.below(100);
        let Faults { fail_before, lose_answer, hold_answer, is_down } = self.faults;
        match place {
            Some(place) if is_down[place] => Passage::FailBefore,
            _ if at_gate.is_answer && drawn < lose_answer => Passage::LoseAnswer,
            _ if at_gate.is_answer => Passage::Pass,
            _ if drawn < fail_before => Passage::FailBefore,
            _ if drawn < fail_before + lose_answer => Passage::LoseAnswer,
            _ if drawn < fail_before + lose_answer + hold_answer => Passage::HoldAnswer,
            _ => Passage::Pass,
        }
    }

    fn let_through(&mut self, at_gate: AtGate, passage: Passage) {
        let AtGate { number, server, is_answer, statement } = at_gate;
        let what = if is_answer { "the answer to " } else { "" };
        let statement: String = statement.split_whitespace().take(12).collect::<Vec<_>>().join(" ");
        self.note(format!("server {server}: {passage:?} {what}`{statement}`"));
        self.shared.gate.let_through(number, passage);
    }

    /// What waits at the gate, of servers that live.
    fn waiting(&self) -> Vec<AtGate> {
        let mut waiting = self.shared.gate.waiting();
        waiting.retain(|at_gate| self.place_of(at_gate.server).is_some());
        waiting
    }

    fn place_of(&self, number: usize) -> Option<usize> {
        self.servers.iter().position(|server| server.as_ref().is_some_and(|server| server.number == number))
    }

    fn live(&self) -> Vec<usize> {
        (0..SERVERS).filter(|place| self.servers[*place].is_some()).collect()
    }

    fn advance(&mut self, by: Duration) {
        self.note(format!("{by:?} pass"));
        self.shared.clock.advance(by);
    }

    fn note(&mut self, what: String) {
        self.trace.push(what);
    }
}
