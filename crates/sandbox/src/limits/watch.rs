//! Watching a cell: memory, processes and processor time of it and all it started, looked at from outside at intervals.

use std::io::ErrorKind;
use std::time::Duration;

use crate::job::JobLimits;
use crate::limits::procfs::{Memory, fair_share, family, waited_for_ticks};
use crate::sys::cpu_time;

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
            seen_cpu: Duration::ZERO,
            cpu_before: cpu_time(pid).unwrap_or_default(),
        }
    }

    /// One look. A process that ends meanwhile counts for nothing.
    pub(crate) fn look(&mut self) -> Option<Excess> {
        let (mut resident, mut threads, mut cpu) = (0, 0, Duration::ZERO);
        let family = family(self.pid);
        for pid in family.iter().copied() {
            let Ok(memory) = Memory::of(pid) else { continue };
            resident += memory.resident;
            threads += memory.threads;
            cpu += cpu_time(pid).unwrap_or_default();
        }
        cpu += Duration::from_millis(10 * waited_for_ticks(self.pid));
        self.seen_cpu = self.seen_cpu.max(cpu.saturating_sub(self.cpu_before));
        if resident > self.limits.memory_bytes && family.len() > 1 {
            // Pages that a fork has not written to yet were counted once for each process.
            resident = resident.min(fair_shares(&family, resident));
        }
        self.peak_bytes = self.peak_bytes.max(resident);
        if resident > self.limits.memory_bytes {
            Some(Excess::Memory)
        } else if threads > u64::from(self.limits.processes) {
            Some(Excess::Processes)
        } else if self.seen_cpu > self.limits.cpu {
            Some(Excess::Cpu)
        } else {
            None
        }
    }

    /// Processor time seen at the last look or, if that is more, used by the first process until now.
    pub(crate) fn cpu(&self) -> Duration {
        self.seen_cpu.max(self.own_cpu())
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
fn fair_shares(family: &[i32], otherwise: u64) -> u64 {
    let share = |pid: &i32| match fair_share(*pid) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => otherwise,
        Err(_) => 0,
    };
    family.iter().map(share).sum()
}
