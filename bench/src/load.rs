//! How busy the machine is, and with whom: wall-clock times of a shared machine mean little without it.

use std::fs;

use anyhow::Context;

/// Says what is measured next and what else goes on meanwhile.
pub(crate) fn tell(what: &str) -> anyhow::Result<()> {
    let text = fs::read_to_string("/proc/loadavg")?;
    let last_minute = text.split(' ').next().unwrap_or("?");
    println!("\n{what} (load average {last_minute})");
    Ok(())
}

/// Processor time in microseconds: of this process, of a zygote, and of the cells it has taken leave of.
#[derive(Clone, Copy)]
pub(crate) struct Spent {
    pub(crate) supervisor: f64,
    pub(crate) zygote: f64,
    pub(crate) cells: f64,
    /// All that any process and the kernel itself did.
    pub(crate) machine: f64,
}

impl Spent {
    pub(crate) fn until_now(zygote: u32) -> anyhow::Result<Spent> {
        let mut supervisor = 0.0;
        for thread in fs::read_dir("/proc/self/task")? {
            supervisor += run_time(&thread?.path().join("schedstat").to_string_lossy())?;
        }
        Ok(Spent {
            supervisor,
            zygote: run_time(&format!("/proc/{zygote}/schedstat"))?,
            cells: waited_for(zygote)?,
            machine: busy()?,
        })
    }

    pub(crate) fn since(self, before: Spent) -> Spent {
        Spent {
            supervisor: self.supervisor - before.supervisor,
            zygote: self.zygote - before.zygote,
            cells: self.cells - before.cells,
            machine: self.machine - before.machine,
        }
    }

    pub(crate) fn each(self, count: usize) -> String {
        let each = |micros: f64| format!("{:.0} µs", micros / count as f64);
        format!(
            "supervisor {}, zygote {}, cell {}; whole machine {}",
            each(self.supervisor),
            each(self.zygote),
            each(self.cells),
            each(self.machine)
        )
    }
}

/// The process that forks cells, behind the one that stands for it and the first one of its namespace.
pub(crate) fn zygote_of(watcher: u32) -> anyhow::Result<u32> {
    first_child(first_child(watcher)?)
}

fn first_child(pid: u32) -> anyhow::Result<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
    let first = children.split_whitespace().next().context("the zygote is gone")?;
    Ok(first.parse()?)
}

fn run_time(path: &str) -> anyhow::Result<f64> {
    let text = fs::read_to_string(path)?;
    let nanos: f64 = text.split(' ').next().context("no run time")?.parse()?;
    Ok(nanos / 1e3)
}

/// The kernel tells it in hundredths of a second, which is little over many cells.
const TICK_US: f64 = 10_000.0;

fn waited_for(pid: u32) -> anyhow::Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: f64 =
        fields.split_whitespace().skip(13).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    Ok(ticks * TICK_US)
}

fn busy() -> anyhow::Result<f64> {
    let text = fs::read_to_string("/proc/stat")?;
    let line = text.lines().next().unwrap_or_default();
    let fields: Vec<f64> = line.split_whitespace().skip(1).filter_map(|field| field.parse().ok()).collect();
    // User, nice, system, interrupts; not idle, waiting or stolen.
    let busy: f64 = [0, 1, 2, 5, 6].iter().filter_map(|place| fields.get(*place)).sum();
    Ok(busy * TICK_US)
}
