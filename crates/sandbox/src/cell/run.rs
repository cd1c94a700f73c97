//! Running one job in a cell: everything that can happen, waited for at once, until one thing ends it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::cell::Cell;
use crate::cell::exchange::{Exchange, Said};
use crate::ending::{Crash, Ending, Killer, Limit, Outcome, Usage};
use crate::error::Error;
use crate::host::{Host, Stream};
use crate::job::{Isolation, Job};
use crate::limits::{Cgroup, Excess, Watch};
use crate::protocol::End;

/// How often a running cell is looked at from outside.
const LOOK: Duration = Duration::from_millis(20);
/// How long a cell that is out of time may take to say where it stands.
const LAST_WORDS: Duration = Duration::from_millis(25);
/// Its end can be seen a little after its socket closes.
const SETTLE: Duration = Duration::from_millis(500);
const CHUNK: usize = 16 << 10;

/// What ended the waiting.
enum Event {
    Said(Box<Said>),
    Lied(String),
    Closed,
    /// It ended before it had taken the whole job.
    NotTaken,
    Passed(Excess),
    Deadline,
    Cancelled,
}

struct Output {
    kept: u64,
    dropped: u64,
}

impl Cell {
    /// Runs a job. The flag says whether the cell may be used again.
    pub(crate) async fn run(
        &mut self,
        job: &Job,
        host: Arc<dyn Host>,
        proxy: Option<u16>,
        cancel: &CancellationToken,
    ) -> Result<(Outcome, bool), Error> {
        let frame = self.job_frame(job, proxy)?;
        self.rest = None;
        if let Some(cgroup) = &self.cgroup {
            cgroup.limit(job.limits.memory_bytes + self.born_with, job.limits.processes)?;
        }
        let started = Instant::now();
        let mut watch = Watch::new(self.pid, job.limits);
        let mut exchange = Exchange::new(Arc::clone(&host), frame);
        let mut output = Output { kept: 0, dropped: 0 };
        let event = self.wait(job, &host, &mut exchange, &mut watch, &mut output, started, cancel).await;
        let mut usage = Usage {
            wall_us: micros(started.elapsed()),
            cpu_us: micros(watch.cpu()),
            peak_memory_bytes: watch.peak_bytes(),
        };
        let mut calls_dropped = 0;
        let mut reusable = false;
        let ending = match event {
            Event::NotTaken => {
                let environment = self.zygote.environment.id.clone();
                return Err(Error::Cell { environment, why: "it died before it took the job".to_owned() });
            }
            Event::Said(said) => {
                calls_dropped = said.end.dropped_calls.min(u64::from(u32::MAX));
                believe(&mut usage, &said.end, job, watch.own_cpu());
                reusable = said.end.reusable && self.decoder.is_empty();
                Ending::from_cell(said.end, said.yielded)
            }
            other => self.end(other, job, &mut exchange, &mut usage).await,
        };
        for (pipe, stream) in [(&self.stdout, Stream::Stdout), (&self.stderr, Stream::Stderr)] {
            // Past the runtime, which says "nothing there" until it has looked again: the last words would be lost.
            drain(|buffer| Ok(rustix::io::read(pipe, buffer)?), stream, &host, job, &mut output);
        }
        self.decoder.shrink();
        if reusable && job.isolation != Isolation::Fresh {
            // One that cannot be watched is not used again.
            self.rest = self.rest(job.limits).ok();
            reusable = self.rest.is_some();
        }
        Ok((Outcome { ending, usage, output_dropped_bytes: output.dropped, calls_dropped }, reusable))
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "they are the parts of one running job, which lives in `run`"
    )]
    async fn wait(
        &mut self,
        job: &Job,
        host: &Arc<dyn Host>,
        exchange: &mut Exchange,
        watch: &mut Watch,
        output: &mut Output,
        started: Instant,
        cancel: &CancellationToken,
    ) -> Event {
        let deadline = sleep_until(started + job.limits.wall);
        tokio::pin!(deadline);
        let mut looks = interval_at(started + LOOK, LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut stdout_open, mut stderr_open) = (true, true);
        if let Err(error) = self.write(exchange) {
            return closed_with(&error, exchange);
        }
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Event::Cancelled,
                () = &mut deadline => return Event::Deadline,
                // Before all that the cell can make happen without end.
                _ = looks.tick() => if let Some(excess) = watch.look() { return Event::Passed(excess) },
                _ = self.stream.readable() => match self.read(exchange, job) {
                    Ok(None) => {}
                    Ok(Some(event)) => return event,
                    Err(error) => return closed_with(&error, exchange),
                },
                _ = self.stream.writable(), if !exchange.outgoing().is_empty() => {
                    if let Err(error) = self.write(exchange) {
                        return closed_with(&error, exchange);
                    }
                }
                _ = self.stdout.readable(), if stdout_open => {
                    stdout_open = drain(|buffer| self.stdout.try_read(buffer), Stream::Stdout, host, job, output);
                }
                _ = self.stderr.readable(), if stderr_open => {
                    stderr_open = drain(|buffer| self.stderr.try_read(buffer), Stream::Stderr, host, job, output);
                }
                answer = exchange.answered(), if exchange.has_verbs() => {
                    if let Some(answer) = answer { exchange.queue(answer) }
                }
            }
        }
    }

    fn read(&mut self, exchange: &mut Exchange, job: &Job) -> io::Result<Option<Event>> {
        let mut buffer = [0; CHUNK];
        match self.stream.try_read(&mut buffer) {
            Ok(0) => return Ok(Some(Event::Closed)),
            Ok(size) => self.decoder.push(&buffer[..size]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error),
        }
        Ok(match exchange.read(&mut self.decoder, job) {
            Ok(said) => said.map(|said| Event::Said(Box::new(said))),
            Err(why) => Some(Event::Lied(why)),
        })
    }

    fn write(&self, exchange: &mut Exchange) -> io::Result<()> {
        while !exchange.outgoing().is_empty() {
            match self.stream.try_write(exchange.outgoing()) {
                Ok(size) => exchange.was_sent(size),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Kills a cell that did not end by itself, and says what it was that ended it.
    async fn end(&mut self, event: Event, job: &Job, exchange: &mut Exchange, usage: &mut Usage) -> Ending {
        let ending = match event {
            Event::Said(_) | Event::NotTaken => unreachable!("both are dealt with before"),
            Event::Lied(why) => Ending::BrokeProtocol { why },
            Event::Closed => self.closed(usage).await,
            Event::Passed(Excess::Memory) => Ending::OutOfMemory,
            Event::Passed(Excess::Processes) => Ending::Killed { by: Killer::ProcessLimit },
            Event::Passed(Excess::Cpu) => {
                Ending::TimedOut { limit: Limit::Cpu, stood_at: self.last_words(exchange, job).await }
            }
            Event::Deadline => {
                Ending::TimedOut { limit: Limit::Wall, stood_at: self.last_words(exchange, job).await }
            }
            Event::Cancelled => Ending::Killed { by: Killer::Cancel },
        };
        self.kill().await;
        ending
    }

    /// Asks a cell that is out of time where it stands. It need not answer.
    async fn last_words(&mut self, exchange: &mut Exchange, job: &Job) -> Option<String> {
        self.signal(Signal::USR1);
        let asked = async {
            while exchange.stood_at.is_none() {
                self.stream.readable().await.ok()?;
                if !matches!(self.read(exchange, job), Ok(None)) {
                    return None;
                }
            }
            exchange.stood_at.take()
        };
        timeout(LAST_WORDS, asked).await.ok().flatten()
    }

    /// The socket is closed: it ended, or it only pretends to.
    async fn closed(&mut self, usage: &mut Usage) -> Ending {
        if !self.ended(SETTLE).await {
            return Ending::BrokeProtocol { why: "it closed its socket and went on".to_owned() };
        }
        let Ok(Ok(reaped)) = timeout(SETTLE, &mut self.reaped).await else {
            return Ending::Killed { by: Killer::Outside };
        };
        usage.cpu_us = usage.cpu_us.max(reaped.cpu_us);
        if self.cgroup.as_ref().is_some_and(Cgroup::ran_out_of_memory) {
            return Ending::OutOfMemory;
        }
        match reaped.status {
            status if status == -libc::SIGKILL => Ending::Killed { by: Killer::Outside },
            status if status < 0 => Ending::Crashed { how: Crash::Signal(-status) },
            status => Ending::Crashed { how: Crash::Exit(status) },
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

/// Reads what is there, keeps what the limit allows, and says whether more can come.
fn drain(
    mut read: impl FnMut(&mut [u8]) -> io::Result<usize>,
    stream: Stream,
    host: &Arc<dyn Host>,
    job: &Job,
    output: &mut Output,
) -> bool {
    let mut buffer = [0; CHUNK];
    // A bound on the reads of one turn: a cell that writes without end must not keep us from its deadline.
    for _ in 0..64 {
        match read(&mut buffer) {
            Ok(0) => return false,
            Ok(size) => {
                let room = usize::try_from(job.limits.output_bytes - output.kept).unwrap_or(usize::MAX);
                let kept = size.min(room);
                if kept > 0 {
                    host.output(stream, &buffer[..kept]);
                }
                output.kept += kept as u64;
                output.dropped += (size - kept) as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
            Err(_) => return false,
        }
    }
    true
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
