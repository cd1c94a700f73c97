//! The process that evaluates: this program again, with limits on its memory and processor time. It reads a question, writes the answer, and
//! dies where a limit is exceeded; whoever asked sees that and starts another one.

use std::io::{self, Read, Write};

use rustix::process::{Resource, Rlimit, setrlimit};

use super::evaluate::evaluate;
use super::frames::{Answer, MAX_ANSWER};
use super::{MEMORY_BYTES, Question};
use crate::sys;

/// Processor time of one evaluation, in seconds: the kernel counts whole ones.
const SECONDS: u64 = 1;

/// Answers until standard input closes.
pub(crate) fn serve() -> i32 {
    match limit().and_then(|()| answer_all(&mut io::stdin().lock(), &mut io::stdout().lock())) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

fn limit() -> io::Result<()> {
    sys::close_all_from(3)?;
    setrlimit(Resource::Core, exactly(0))?;
    // Not of addresses, of which allocators reserve more than they use.
    Ok(setrlimit(Resource::Data, exactly(MEMORY_BYTES))?)
}

fn answer_all(questions: &mut impl Read, answers: &mut impl Write) -> io::Result<()> {
    loop {
        let mut length = [0; 4];
        match questions.read_exact(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            read => read?,
        }
        let mut question = vec![0; u32::from_be_bytes(length) as usize];
        questions.read_exact(&mut question)?;
        limit_time()?;
        let answer = answer(&question)?;
        answers.write_all(&(answer.len() as u32).to_be_bytes())?;
        answers.write_all(&answer)?;
        answers.flush()?;
    }
}

fn answer(question: &[u8]) -> io::Result<Vec<u8>> {
    let evaluated = match serde_json::from_slice::<Question>(question) {
        Ok(question) => evaluate(&question),
        Err(error) => Err(error.to_string()),
    };
    let answer = serde_json::to_vec(&Answer::of(evaluated))?;
    if answer.len() > MAX_ANSWER {
        let problem = format!("it makes more than {} MB", MAX_ANSWER >> 20);
        return Ok(serde_json::to_vec(&Answer::Failed(problem))?);
    }
    Ok(answer)
}

/// Of all this process has used and may use until the answer.
fn limit_time() -> io::Result<()> {
    let used = sys::cpu_time(rustix::process::getpid().as_raw_nonzero().get())?.as_secs();
    Ok(setrlimit(Resource::Cpu, Rlimit { current: Some(used + SECONDS + 1), maximum: None })?)
}

fn exactly(value: u64) -> Rlimit {
    Rlimit { current: Some(value), maximum: Some(value) }
}
