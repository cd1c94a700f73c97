//! The supervisor's side of the conversation with a cell: what each message means and whether it may come now. No I/O, so
//! that every lie a cell can tell can be told to it in a test.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::call::{CallRecord, Trace};
use crate::host::{Arguments, Host, HostError};
use crate::job::Job;
use crate::protocol::{Answer, Calls, Decoder, End, FromCell, ToCell, encode_frame};
use crate::value::Value;

/// Verbs a cell may have in the air at once, those included whose answers it has not taken; it has at most a few threads.
const MAX_VERBS: usize = 64;
/// What the arguments of all of them together may take on the wire. A single one may take what a frame may.
const MAX_ASKED_BYTES: u64 = 32 << 20;
/// Values a generator may yield, those inside of others counted too: each takes far more memory here than on the wire.
const MAX_YIELDED_VALUES: usize = 1_000_000;
/// What the record of Calls may take on the wire. Of Calls beyond, only that they were made is kept.
const MAX_RECORD_BYTES: u64 = 64 << 20;
const MAX_REASON: usize = 300;
/// The program in the cell shortens longer ones.
const MAX_LANE_BYTES: usize = 100;

pub(super) struct Exchange {
    host: Arc<dyn Host>,
    trace: Trace,
    yielded: Vec<Value>,
    yielded_bytes: u64,
    yielded_values: usize,
    record_bytes: u64,
    /// Each with what its arguments took on the wire.
    verbs: JoinSet<(Answer, u64)>,
    asked_bytes: u64,
    /// Frames for the cell, and how much of the first it has taken.
    outgoing: VecDeque<Vec<u8>>,
    sent: usize,
    /// Whether anything but the job went to the cell or anything came from it.
    under_way: bool,
    /// Where the code stood, if it was asked.
    pub(super) stood_at: Option<String>,
}

/// The last message of a cell, with all it yielded before.
pub(super) struct FinalMessage {
    pub(super) end: End,
    pub(super) yielded: Vec<Value>,
}

impl Exchange {
    pub(super) fn new(host: Arc<dyn Host>, first: Vec<u8>) -> Exchange {
        Exchange {
            host,
            trace: Trace::default(),
            yielded: Vec::new(),
            yielded_bytes: 0,
            yielded_values: 0,
            record_bytes: 0,
            verbs: JoinSet::new(),
            asked_bytes: 0,
            outgoing: VecDeque::from([first]),
            sent: 0,
            under_way: false,
            stood_at: None,
        }
    }

    /// Takes in all whole frames. Something is returned when the cell has said its last word; an error is a lie. `printed`
    /// passes on what the cell has printed so far: called before the host hears of something that was said after it.
    pub(super) fn read(
        &mut self,
        decoder: &mut Decoder,
        job: &Job,
        mut printed: impl FnMut(),
    ) -> Result<Option<FinalMessage>, String> {
        while let Some(frame) = decoder.next_frame().map_err(|error| error.to_string())? {
            let size = frame.len() as u64;
            self.under_way = true;
            let message = serde_json::from_slice(frame).map_err(|error| not_valid(&error.to_string()))?;
            if matches!(message, FromCell::Verb { .. } | FromCell::Yield(_)) {
                printed();
            }
            if let Some(said) = self.take(message, size, job)? {
                return Ok(Some(said));
            }
        }
        Ok(None)
    }

    fn take(&mut self, message: FromCell, size: u64, job: &Job) -> Result<Option<FinalMessage>, String> {
        match message {
            FromCell::Ready(_) | FromCell::Unready(_) => {
                return Err("it reported twice that it is ready".to_owned());
            }
            FromCell::Compiled(_) => return Err("it sent a code that nobody asked for".to_owned()),
            FromCell::Calls(calls) => self.record(calls, size, job)?,
            FromCell::Verb { number, lane, verb, positional, named } => {
                check_lane(&lane)?;
                self.ask(number, &lane, &verb, Arguments { positional, named }, size, job)?;
            }
            FromCell::Yield(value) => self.take_yielded(value, size, job)?,
            FromCell::Where(place) => self.stood_at = Some(place),
            FromCell::End(end) => {
                return Ok(Some(FinalMessage { end, yielded: std::mem::take(&mut self.yielded) }));
            }
        }
        Ok(None)
    }

    fn record(&mut self, calls: Calls, size: u64, job: &Job) -> Result<(), String> {
        let mut records = self.trace.accept(calls, &job.closure)?;
        self.record_bytes += size;
        if self.record_bytes > MAX_RECORD_BYTES {
            records.iter_mut().for_each(CallRecord::leave_out_values);
        }
        self.host.calls(records);
        Ok(())
    }

    fn take_yielded(&mut self, value: Value, size: u64, job: &Job) -> Result<(), String> {
        self.yielded_bytes += size;
        self.yielded_values += value.count();
        if self.yielded_bytes > job.limits.yielded_bytes || self.yielded_values > MAX_YIELDED_VALUES {
            return Err(format!(
                "it yielded more than {} bytes or {MAX_YIELDED_VALUES} values in all",
                job.limits.yielded_bytes
            ));
        }
        self.host.yielded(&value);
        self.yielded.push(value);
        Ok(())
    }

    fn ask(
        &mut self,
        number: u64,
        lane: &str,
        verb: &str,
        arguments: Arguments,
        size: u64,
        job: &Job,
    ) -> Result<(), String> {
        if self.verbs.len() + self.outgoing.len() >= MAX_VERBS {
            return Err(format!("it asked for more than {MAX_VERBS} verbs at once"));
        }
        if !self.verbs.is_empty() && self.asked_bytes + size > MAX_ASKED_BYTES {
            return Err(format!("it asked for verbs with more than {MAX_ASKED_BYTES} bytes at once"));
        }
        self.asked_bytes += size;
        if !job.verbs.iter().any(|granted| granted == verb) {
            let error = HostError::Refused("this verb is not granted to this function".to_owned());
            self.verbs.spawn(async move { (answer(number, Err(error)), size) });
            return Ok(());
        }
        let asked = self.host.verb(lane, verb, arguments);
        self.verbs.spawn(async move { (answer(number, asked.await), size) });
        Ok(())
    }

    /// The next answer to a verb that is ready; nothing when none is in the air.
    pub(super) async fn answered(&mut self) -> Option<Answer> {
        // A host that panics leaves the cell without an answer, and its time-out ends it.
        let (answer, size) = self.verbs.join_next().await?.ok()?;
        self.asked_bytes -= size;
        Some(answer)
    }

    pub(super) fn has_verbs(&self) -> bool {
        !self.verbs.is_empty()
    }

    pub(super) fn queue(&mut self, answer: Answer) {
        let number = answer.number;
        let frame = encode_frame(&ToCell::Answer(answer)).or_else(|error| {
            let failed = Answer {
                number,
                value: None,
                refused: None,
                failed: Some(error.to_string()),
                exhausted: None,
            };
            encode_frame(&ToCell::Answer(failed))
        });
        if let Ok(frame) = frame {
            self.outgoing.push_back(frame);
        }
    }

    /// Whether the cell can have begun with the job, if it has taken all of it.
    pub(super) fn is_under_way(&self) -> bool {
        self.under_way
    }

    /// What is kept for a cell that has more to say or to take, in bytes on the wire.
    #[cfg(any(test, feature = "fuzz"))]
    pub(super) fn held(&self) -> u64 {
        let unsent: usize = self.outgoing.iter().map(Vec::len).sum();
        unsent as u64 + self.asked_bytes + self.yielded_bytes
    }

    /// What is to be sent next; empty when all is sent.
    pub(super) fn outgoing(&self) -> &[u8] {
        self.outgoing.front().map_or(&[], |frame| &frame[self.sent..])
    }

    pub(super) fn was_sent(&mut self, size: usize) {
        self.sent += size;
        if self.outgoing().is_empty() {
            self.outgoing.pop_front();
            self.sent = 0;
        }
    }
}

fn check_lane(lane: &str) -> Result<(), String> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-.~".contains(&byte);
    if lane.is_empty() || lane.len() > MAX_LANE_BYTES || !lane.bytes().all(is_allowed) {
        return Err(format!(
            "it asked in a lane whose name has {} bytes, and not 1 to {MAX_LANE_BYTES} letters, digits, `/`, `_`, `-`, `.` or `~`",
            lane.len()
        ));
    }
    Ok(())
}

/// The reason may quote the frame, which can be long.
fn not_valid(why: &str) -> String {
    format!("a frame is not valid: {}", why.chars().take(MAX_REASON).collect::<String>())
}

fn answer(number: u64, result: Result<Value, HostError>) -> Answer {
    let empty = Answer { number, value: None, refused: None, failed: None, exhausted: None };
    match result {
        Ok(value) => Answer { value: Some(value), ..empty },
        Err(HostError::Refused(why)) => Answer { refused: Some(why), ..empty },
        Err(HostError::Exhausted(why)) => Answer { exhausted: Some(why), ..empty },
        Err(HostError::Failed(why)) => Answer { failed: Some(why), ..empty },
    }
}
