//! What a supervisor and its zygote hold at a moment when no job runs.

use std::fs;

use selfmade_sandbox::Config;

use super::READY;
use crate::support::{World, a_moment, children, is_there, memory};

/// Cells on their way and the runtime's own needs: each cell has four descriptors and one more while it rests.
const DESCRIPTORS: usize = 24;
/// Allocators keep some of what was given back, and not always the same.
const MEMORY: u64 = 4 << 20;

#[derive(Debug)]
pub(super) struct Held {
    descriptors: usize,
    zygote_descriptors: usize,
    mounts: usize,
    zygote_mounts: usize,
    memory: u64,
    zygote_memory: u64,
}

impl Held {
    pub(super) async fn now(world: &World) -> Held {
        world.sandbox.prepare(&world.environment).await.unwrap();
        let watcher = i32::try_from(world.sandbox.processes().0[0]).unwrap();
        // The watcher's child is the first process of the namespace, and the zygote the second.
        let zygote = children(children(watcher)[0])[0];
        settled(zygote).await;
        Held {
            descriptors: count("self", "fd"),
            zygote_descriptors: count(&zygote.to_string(), "fd"),
            mounts: mounts("self"),
            zygote_mounts: mounts(&zygote.to_string()),
            memory: memory::read("self", "VmRSS:"),
            zygote_memory: memory::read(&zygote.to_string(), "VmRSS:"),
        }
    }

    pub(super) fn is_no_more_than(&self, before: &Held) {
        assert!(self.descriptors <= before.descriptors + DESCRIPTORS, "descriptors: {before:?}, {self:?}");
        assert!(self.zygote_descriptors <= before.zygote_descriptors + DESCRIPTORS, "{before:?}, {self:?}");
        assert_eq!((self.mounts, self.zygote_mounts), (before.mounts, before.zygote_mounts), "mounts");
        assert!(self.memory <= before.memory + MEMORY, "memory: {before:?}, {self:?}");
        assert!(self.zygote_memory <= before.zygote_memory + MEMORY, "memory: {before:?}, {self:?}");
    }
}

/// Waits until there are no more processes than cells that are ready or warm, each of them alone.
async fn settled(zygote: i32) {
    // One may have been made for a job at the same moment as one to be ready.
    let most = READY + 2 + Config::default().warm_cells;
    let mut seen = (Vec::new(), Vec::new());
    for _ in 0..2000 {
        let cells: Vec<i32> = children(zygote).into_iter().filter(|pid| is_there(*pid)).collect();
        let others: Vec<i32> = cells.iter().flat_map(|pid| children(*pid)).collect();
        if cells.len() <= most && others.is_empty() {
            return;
        }
        seen = (cells, others);
        a_moment().await;
    }
    panic!("processes are left: {} cells, {:?} of theirs", seen.0.len(), seen.1);
}

fn count(process: &str, folder: &str) -> usize {
    fs::read_dir(format!("/proc/{process}/{folder}")).unwrap().count()
}

fn mounts(process: &str) -> usize {
    fs::read_to_string(format!("/proc/{process}/mountinfo")).unwrap().lines().count()
}
