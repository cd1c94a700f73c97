//! Watching a cell: memory, processes and processor time of it and all it started, looked at from outside at intervals.

use std::io::ErrorKind;
use std::time::Duration;

use crate::job::JobLimits;
use crate::limits::process_times::ProcessTimes;
use crate::limits::procfs::{Memory, descriptors, fair_share, family};
use crate::sys::cpu_time;

/// Descriptors that all processes of a cell together may have open before more of them count as memory. One process may
/// have a quarter of that.
const FREE_DESCRIPTORS: u64 = 1024;
/// What lies in the buffer of a socket and was not read is in no number that the kernel tells. It can be that much.
const SOCKET_BUFFER: u64 = 208 << 10;

/// Which limit was found to be passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    Memory,
    Cpu,
    Processes,
}

#[derive(Debug)]
pub(crate) struct Watch {
    pid: i32,
    limits: JobLimits,
    peak_bytes: u64,
    process_times: ProcessTimes,
    seen_cpu: Duration,
    /// What a reused cell had used before this job.
    cpu_before: Duration,
}

impl Watch {
    pub(crate) fn new(pid: i32, limits: JobLimits) -> Watch {
        Watch {
            pid,
            limits,
            peak_bytes: 0,
            process_times: ProcessTimes::default(),
            seen_cpu: Duration::ZERO,
            cpu_before: cpu_time(pid).unwrap_or_default(),
        }
    }

    /// One look. A process that ends meanwhile counts for nothing.
    pub(crate) fn look(&mut self) -> Option<Excess> {
        let family = family(self.pid);
        let told: Vec<Memory> = family.iter().filter_map(|pid| Memory::of(*pid).ok()).collect();
        self.seen_cpu = self.seen_cpu.max(self.process_times.of(&family).saturating_sub(self.cpu_before));
        let memory = self.memory(&told) + buffers(&family);
        self.peak_bytes = self.peak_bytes.max(memory);
        if memory > self.limits.memory_bytes {
            Some(Excess::Memory)
        } else if told.iter().map(|one| one.threads).sum::<u64>() > u64::from(self.limits.processes) {
            Some(Excess::Processes)
        } else if self.seen_cpu > self.limits.cpu {
            Some(Excess::Cpu)
        } else {
            None
        }
    }

    fn memory(&self, told: &[Memory]) -> u64 {
        let resident: u64 = told.iter().map(|one| one.resident).sum();
        let beside: u64 = told.iter().map(|one| one.beside).sum();
        if resident + beside > self.limits.memory_bytes && told.len() > 1 {
            // Pages that a fork has not written to yet were counted once for each process.
            return beside + resident.min(fair_shares(told, resident));
        }
        resident + beside
    }

    /// Processor time of all processes at the last look.
    pub(crate) fn seen_cpu(&self) -> Duration {
        self.seen_cpu
    }

    /// Processor time of the first process alone. To be asked while it lives.
    pub(crate) fn own_cpu(&self) -> Duration {
        cpu_time(self.pid).unwrap_or_default().saturating_sub(self.cpu_before)
    }

    /// The most memory seen.
    pub(crate) fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }
}

/// What the processes hold together. One that the kernel does not tell about counts as if it held all; one that has ended
/// meanwhile holds nothing.
fn fair_shares(told: &[Memory], otherwise: u64) -> u64 {
    let share = |one: &Memory| match fair_share(one.thread) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => otherwise,
        Err(_) => 0,
    };
    told.iter().map(share).sum()
}

/// What the buffers of sockets may hold, beyond what is given to every cell.
fn buffers(family: &[i32]) -> u64 {
    // Few processes cannot have more, and most cells are one.
    if family.len() <= 4 {
        return 0;
    }
    let open: u64 = family.iter().map(|pid| descriptors(*pid)).sum();
    open.saturating_sub(FREE_DESCRIPTORS) * SOCKET_BUFFER
}
