//! The processes that evaluate, seen from the server.

use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::frames::{Answer, MAX_ANSWER};
use super::{MEMORY_BYTES, Question};
use crate::stage1::EXPRESSIONS_ARGUMENT;

/// Time is limited by the processor time that is used; this is for a process that is not given any.
const LONGEST: Duration = Duration::from_secs(30);

pub(super) struct Processes {
    program: Option<PathBuf>,
    /// Those that wait for a question; as many as there are places, at most.
    idle: Mutex<Vec<Worker>>,
}

struct Worker {
    child: Child,
    questions: ChildStdin,
    answers: ChildStdout,
}

impl Processes {
    pub(super) fn new(program: Option<PathBuf>) -> Processes {
        Processes { program, idle: Mutex::default() }
    }

    pub(super) async fn evaluate(&self, question: &Question) -> Result<Option<Value>, String> {
        let question = serde_json::to_vec(question).map_err(|error| error.to_string())?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut worker = match idle {
            Some(worker) => worker,
            None => {
                self.start().map_err(|error| format!("cannot start a process to evaluate it: {error}"))?
            }
        };
        match timeout(LONGEST, worker.ask(&question)).await {
            Ok(Ok(answer)) => {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
                answer.evaluated()
            }
            Ok(Err(_)) => Err(worker.why_it_ended().await),
            Err(_) => Err(format!("it took more than {} s", LONGEST.as_secs())),
        }
    }

    fn start(&self) -> io::Result<Worker> {
        let program = match &self.program {
            Some(program) => program.clone(),
            None => std::env::current_exe()?,
        };
        let mut child = Command::new(program)
            .arg(EXPRESSIONS_ARGUMENT)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (questions, answers) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Worker { child, questions, answers })
    }
}

impl Worker {
    async fn ask(&mut self, question: &[u8]) -> io::Result<Answer> {
        let length = u32::try_from(question.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        self.questions.write_all(&length.to_be_bytes()).await?;
        self.questions.write_all(question).await?;
        let length = self.answers.read_u32().await? as usize;
        // The answer itself, and how it is written.
        if length > MAX_ANSWER + 64 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut answer = vec![0; length];
        self.answers.read_exact(&mut answer).await?;
        Ok(serde_json::from_slice(&answer)?)
    }

    /// Why it ended without an answer.
    async fn why_it_ended(mut self) -> String {
        match timeout(LONGEST, self.child.wait()).await {
            Ok(Ok(status)) if is_out_of_time(status) => "it takes more than a second".to_owned(),
            _ => format!("it needs more than {} MB of memory", MEMORY_BYTES >> 20),
        }
    }
}

fn is_out_of_time(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}
