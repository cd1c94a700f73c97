//! What `/proc` says about the processes of a cell, seen from the supervisor.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::sys::pid_by_ioctl;

/// The id, in our own pid namespace, of the process a pidfd stands for.
pub(crate) fn pid_of(pidfd: impl AsFd) -> io::Result<i32> {
    if let Ok(pid) = pid_by_ioctl(pidfd.as_fd()) {
        return Ok(pid);
    }
    let text = fs::read_to_string(format!("/proc/self/fdinfo/{}", pidfd.as_fd().as_raw_fd()))?;
    text.lines()
        .find_map(|line| line.strip_prefix("Pid:")?.trim().parse().ok())
        .filter(|pid| *pid > 0)
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the process is gone"))
}

/// The private, writable memory a process has mapped.
pub(crate) fn data_bytes(pid: i32) -> io::Result<u64> {
    Ok(Memory::of(pid)?.data)
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Memory {
    /// The thread that told it.
    pub(super) thread: i32,
    /// Resident memory that is not backed by files.
    pub(super) resident: u64,
    /// Page tables, and huge pages, which the kernel counts apart.
    pub(super) beside: u64,
    pub(super) data: u64,
    pub(super) threads: u64,
    ended: bool,
}

impl Memory {
    /// When the first thread of a process has ended, nothing is told of the memory under the number of the process, while
    /// the others go on with it; then one of them is asked.
    pub(super) fn of(pid: i32) -> io::Result<Memory> {
        let memory = Memory::memory_of(pid)?;
        if !memory.ended || memory.threads < 2 {
            return Ok(memory);
        }
        let others = threads(pid).into_iter().filter_map(|thread| Memory::memory_of(thread).ok());
        Ok(others.into_iter().find(|other| !other.ended).unwrap_or(memory))
    }

    fn memory_of(thread: i32) -> io::Result<Memory> {
        let text = fs::read_to_string(format!("/proc/{thread}/status"))?;
        let mut memory = Memory { thread, ..Memory::default() };
        for line in text.lines() {
            let Some((name, rest)) = line.split_once(':') else { continue };
            let number = || rest.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0);
            match name {
                "State" => memory.ended = rest.trim_start().starts_with(['Z', 'X']),
                "RssAnon" | "RssShmem" => memory.resident += number() << 10,
                "VmPTE" | "HugetlbPages" => memory.beside += number() << 10,
                "VmData" => memory.data = number() << 10,
                "Threads" => memory.threads = number(),
                _ => {}
            }
        }
        Ok(memory)
    }
}

/// Memory that is not backed by files, where a page that several processes share is divided among them. It costs a walk over
/// all pages, and the kernel may refuse to tell.
pub(super) fn fair_share(thread: i32) -> io::Result<u64> {
    let text = fs::read_to_string(format!("/proc/{thread}/smaps_rollup"))?;
    let kilobytes: u64 = text
        .lines()
        .filter_map(|line| line.strip_prefix("Pss_Anon:").or_else(|| line.strip_prefix("Pss_Shmem:")))
        .filter_map(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok())
        .sum();
    Ok(kilobytes << 10)
}

/// A process and all it started, directly or not. Orphans are adopted by the first process of their namespace, so none is
/// missed for long.
pub(super) fn family(pid: i32) -> Vec<i32> {
    let mut family = vec![pid];
    let mut next = 0;
    while let Some(parent) = family.get(next).copied() {
        family.extend(children(parent));
        next += 1;
    }
    family
}

/// Kills a process and all it started. What escapes the walk by forking meanwhile is caught by the next one, up to a point:
/// this stands in for a pid namespace where there is none, and is weaker than one.
pub(crate) fn kill_family(pid: i32) {
    for _ in 0..8 {
        let started: Vec<i32> = family(pid).split_off(1);
        if started.is_empty() {
            return;
        }
        for pid in started.into_iter().filter_map(Pid::from_raw) {
            // It may have ended by itself.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// What tells whether a process is alone. Kept open for one that is asked often, because finding the files takes longer than
/// reading them.
pub(crate) struct Companions {
    threads: File,
    children: File,
}

impl Companions {
    pub(crate) fn of(pid: i32) -> io::Result<Companions> {
        Ok(Companions {
            threads: File::open(format!("/proc/{pid}/task"))?,
            children: File::open(format!("/proc/{pid}/task/{pid}/children"))?,
        })
    }

    /// Whether it has one thread and no children.
    pub(crate) fn is_empty(&self) -> bool {
        // A folder has a link from above, one from itself, and one from each folder in it.
        let threads = self.threads.metadata().map_or(0, |told| told.nlink().saturating_sub(2));
        threads == 1 && self.children.read_at(&mut [0], 0).is_ok_and(|size| size == 0)
    }
}

/// How many descriptors a process has open.
pub(super) fn descriptors(pid: i32) -> u64 {
    let folder = format!("/proc/{pid}/fd");
    match fs::metadata(&folder).map(|told| told.len()) {
        // Linux tells the number since 6.2; before, one has to count.
        Ok(0) => fs::read_dir(folder).map_or(0, |open| open.count() as u64),
        told => told.unwrap_or(0),
    }
}

fn threads(pid: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    threads.flatten().filter_map(|thread| thread.file_name().to_str()?.parse().ok()).collect()
}

fn children(pid: i32) -> Vec<i32> {
    threads(pid)
        .into_iter()
        .filter_map(|thread| fs::read_to_string(format!("/proc/{pid}/task/{thread}/children")).ok())
        .flat_map(|text| text.split_ascii_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<i32>>())
        .collect()
}

/// Processor time of children that have ended and were waited for.
pub(super) fn waited_for(pid: i32) -> Duration {
    let Ok(text) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return Duration::ZERO };
    // The name, in parentheses, may hold anything; the fields after it are numbers.
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks =
        fields.split_ascii_whitespace().skip(13).take(2).filter_map(|field| field.parse::<u64>().ok());
    // The kernel tells it in hundredths of a second.
    Duration::from_millis(10 * ticks.sum::<u64>())
}
