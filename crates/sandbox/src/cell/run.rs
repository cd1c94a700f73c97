//! Running one job in a cell: everything that can happen, waited for at once, until one thing ends it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::cell::Cell;
use crate::cell::exchange::{Exchange, FinalMessage};
use crate::cell::output::Output;
use crate::ending::{Crash, Ending, Killer, Limit, Outcome, Usage};
use crate::error::Error;
use crate::host::{Host, Stream};
use crate::job::Job;
use crate::limits::{Cgroup, Excess, Watch};
use crate::protocol::End;

/// A job that ends sooner is left alone until then: nobody reads its output, looks at its memory, or makes the next cell.
const SHORT: Duration = Duration::from_millis(2);
/// How often a running cell is looked at from outside.
const LOOK: Duration = Duration::from_millis(20);
/// How long a cell that is out of time may take to say where it stands.
const POSITION_TIMEOUT: Duration = Duration::from_millis(25);
/// Its end can be seen a little after its socket closes.
const SETTLE: Duration = Duration::from_millis(500);
const CHUNK: usize = 16 << 10;

/// What ended the waiting.
enum Event {
    Ended(Box<FinalMessage>),
    Lied(String),
    Closed,
    /// It ended before it had taken the whole job.
    NotTaken,
    Passed(Excess),
    Deadline,
    Cancelled,
}

/// The parts of one running job.
struct Running<'a> {
    job: &'a Job,
    exchange: Exchange,
    watch: Watch,
    output: Output,
    started: Instant,
    cancel: &'a CancellationToken,
    /// Called once, if it is not short.
    goes_on: &'a (dyn Fn() + Sync),
}

impl Cell {
    /// Runs a job. The flag says whether the cell may be used again.
    pub(crate) async fn run(
        &mut self,
        job: &Job,
        host: Arc<dyn Host>,
        proxy: Option<u16>,
        cancel: &CancellationToken,
        goes_on: &(dyn Fn() + Sync),
    ) -> Result<(Outcome, bool), Error> {
        let frame = self.job_frame(job, proxy)?;
        if self.loaded.is_some() {
            // What was written after the last job had ended is nobody's.
            self.stdout.discard();
            self.stderr.discard();
        }
        if let Some(cgroup) = &self.cgroup {
            cgroup.limit(job.limits.memory_bytes + self.born_with, job.limits.processes)?;
        }
        let mut running = Running {
            job,
            started: Instant::now(),
            watch: Watch::new(self.pid, job.limits),
            output: Output::new(Arc::clone(&host), job.limits.output_bytes),
            exchange: Exchange::new(host, frame),
            cancel,
            goes_on,
        };
        let event = self.wait(&mut running).await;
        let own_cpu = running.watch.own_cpu();
        let mut usage = Usage {
            wall_us: micros(running.started.elapsed()),
            cpu_us: micros(running.watch.seen_cpu().max(own_cpu)),
            peak_memory_bytes: running.watch.peak_bytes(),
        };
        let mut calls_dropped = 0;
        let mut reusable = false;
        let ending = match event {
            Event::NotTaken => {
                let environment = self.zygote.environment.id.clone();
                return Err(Error::Cell { environment, why: "it died before it took the job".to_owned() });
            }
            Event::Ended(said) => {
                calls_dropped = said.end.dropped_calls.min(u64::from(u32::MAX));
                believe(&mut usage, &said.end, job, own_cpu);
                reusable = said.end.reusable && self.decoder.is_empty();
                self.loaded = job.isolation.key().map(str::to_owned);
                Ending::from_cell(said.end, said.yielded)
            }
            other => self.end(other, &mut running, &mut usage).await,
        };
        running.output.take_printed(&self.stdout, &self.stderr);
        self.decoder.shrink();
        let output_dropped_bytes = running.output.dropped;
        Ok((Outcome { ending, usage, output_dropped_bytes, calls_dropped }, reusable))
    }

    async fn wait(&mut self, running: &mut Running<'_>) -> Event {
        let Running { job, exchange, watch, output, started, cancel, goes_on } = running;
        let deadline = *started + job.limits.wall;
        let mut next_look = *started + LOOK;
        // One timer for all that is done at its time: each costs as much as a system call.
        let clock = sleep_until(deadline.min(*started + SHORT));
        tokio::pin!(clock);
        let mut is_short = true;
        if let Err(error) = self.write(exchange) {
            return closed_with(&error, exchange);
        }
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Event::Cancelled,
                // Before all that the cell can make happen without end.
                () = &mut clock => {
                    let now = Instant::now();
                    if now >= deadline {
                        return Event::Deadline;
                    }
                    if is_short {
                        is_short = false;
                        goes_on();
                        self.stdout.watch();
                        self.stderr.watch();
                    }
                    if now >= next_look {
                        if let Some(excess) = watch.look() {
                            return Event::Passed(excess);
                        }
                        next_look = Instant::now() + LOOK;
                    }
                    clock.as_mut().reset(deadline.min(next_look));
                }
                _ = self.socket.readable() => match self.read(exchange, output, job) {
                    Ok(None) => {}
                    Ok(Some(event)) => return event,
                    Err(error) => return closed_with(&error, exchange),
                },
                _ = self.socket.writable(), if !exchange.outgoing().is_empty() => {
                    if let Err(error) = self.write(exchange) {
                        return closed_with(&error, exchange);
                    }
                }
                () = self.stdout.readable() => output.forward(&mut self.stdout, Stream::Stdout),
                () = self.stderr.readable() => output.forward(&mut self.stderr, Stream::Stderr),
                answer = exchange.answered(), if exchange.has_verbs() => {
                    if let Some(answer) = answer { exchange.queue(answer) }
                }
            }
        }
    }

    fn read(&mut self, exchange: &mut Exchange, output: &mut Output, job: &Job) -> io::Result<Option<Event>> {
        let mut buffer = [0; CHUNK];
        match self.socket.read(&mut buffer) {
            Ok(0) => return Ok(Some(Event::Closed)),
            Ok(size) => self.decoder.push(&buffer[..size]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error),
        }
        let (stdout, stderr) = (&self.stdout, &self.stderr);
        let printed = || output.take_printed(stdout, stderr);
        Ok(match exchange.read(&mut self.decoder, job, printed) {
            Ok(said) => said.map(|said| Event::Ended(Box::new(said))),
            Err(why) => Some(Event::Lied(why)),
        })
    }

    fn write(&self, exchange: &mut Exchange) -> io::Result<()> {
        while !exchange.outgoing().is_empty() {
            match self.socket.write(exchange.outgoing()) {
                Ok(size) => exchange.was_sent(size),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Kills a cell that did not end by itself, and says what it was that ended it.
    async fn end(&mut self, event: Event, running: &mut Running<'_>, usage: &mut Usage) -> Ending {
        let ending = match event {
            Event::Ended(_) | Event::NotTaken => unreachable!("both are dealt with before"),
            Event::Lied(why) => Ending::BrokeProtocol { why },
            Event::Closed => self.closed(usage).await,
            Event::Passed(Excess::Memory) => Ending::OutOfMemory,
            Event::Passed(Excess::Processes) => Ending::Killed { by: Killer::ProcessLimit },
            Event::Passed(Excess::Cpu) => {
                Ending::TimedOut { limit: Limit::Cpu, stood_at: self.ask_position(running).await }
            }
            Event::Deadline => {
                Ending::TimedOut { limit: Limit::Wall, stood_at: self.ask_position(running).await }
            }
            Event::Cancelled => Ending::Killed { by: Killer::Cancel },
        };
        self.kill().await;
        ending
    }

    /// Asks a cell that is out of time where it stands. It need not answer.
    async fn ask_position(&mut self, running: &mut Running<'_>) -> Option<String> {
        let Running { job, exchange, output, .. } = running;
        self.signal(Signal::USR1);
        let asked = async {
            while exchange.stood_at.is_none() {
                self.socket.readable().await.ok()?;
                if !matches!(self.read(exchange, output, job), Ok(None)) {
                    return None;
                }
            }
            exchange.stood_at.take()
        };
        timeout(POSITION_TIMEOUT, asked).await.ok().flatten()
    }

    /// The socket is closed: it ended, or it only pretends to.
    async fn closed(&mut self, usage: &mut Usage) -> Ending {
        if !self.ended(SETTLE).await {
            return Ending::BrokeProtocol { why: "it closed its socket and went on".to_owned() };
        }
        let reaped = timeout(SETTLE, self.zygote.reap(self.number)).await.unwrap_or_default();
        usage.cpu_us = usage.cpu_us.max(reaped.cpu_us);
        if self.cgroup.as_ref().is_some_and(Cgroup::ran_out_of_memory) {
            return Ending::OutOfMemory;
        }
        match reaped.status {
            None => Ending::Killed { by: Killer::Outside },
            Some(status) if status < 0 => Ending::Crashed { how: Crash::Signal(-status) },
            Some(status) => Ending::Crashed { how: Crash::Exit(status) },
        }
    }
}

/// Looking from outside costs more than a short job, so for what was not seen its own word is taken, within what is possible.
fn believe(usage: &mut Usage, end: &End, job: &Job, own_cpu: Duration) {
    let most_cpu = usage.wall_us.saturating_mul(u64::from(job.limits.processes));
    let most_memory = job.limits.memory_bytes.saturating_mul(2);
    usage.cpu_us = usage.cpu_us.max(micros(own_cpu).saturating_add(end.children_cpu_us.min(most_cpu)));
    usage.peak_memory_bytes = usage.peak_memory_bytes.max(end.peak_bytes.min(most_memory));
}

/// A socket that closes with something unread in it is reset; if that can only be a part of the job, the job never began and
/// another cell can have it.
fn closed_with(error: &io::Error, exchange: &Exchange) -> Event {
    let unread = matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe);
    if unread && !exchange.is_under_way() { Event::NotTaken } else { Event::Closed }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
