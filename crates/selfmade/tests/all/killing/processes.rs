//! The processes of a server: all that it started, by who started whom and by the pid namespaces they live in.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::command::Running;

/// What belonged to a server at the moment it was killed.
pub(crate) struct Crowd {
    pids: HashSet<u32>,
    /// Namespaces of processes that are not ours. What is in one belonged to the server, even if it was started after
    /// we looked.
    namespaces: HashSet<PathBuf>,
}

/// Stops a server, so that it starts nothing more while we look, and kills it.
pub(crate) fn kill(server: Running) -> Crowd {
    server.signal("STOP");
    let crowd = Crowd::of(server.id());
    server.signal("KILL");
    assert_eq!(server.ended().0, None, "it did not end by the signal");
    crowd
}

impl Crowd {
    fn of(server: u32) -> Crowd {
        let pids = family(server);
        let ours = namespace(std::process::id());
        let namespaces =
            pids.iter().filter_map(|pid| namespace(*pid)).filter(|space| Some(space) != ours.as_ref());
        Crowd { namespaces: namespaces.collect(), pids }
    }

    /// How many processes it had besides itself.
    pub(crate) fn size(&self) -> usize {
        self.pids.len() - 1
    }

    /// Returns when nothing of it is left: the kernel takes a moment to end what it was told to end.
    pub(crate) fn vanish(&self) {
        while processes().any(|pid| self.has(pid)) {
            std::thread::yield_now();
        }
    }

    fn has(&self, pid: u32) -> bool {
        let is_dead = || stat(pid).is_none_or(|(state, _)| state == "Z");
        (self.pids.contains(&pid) || namespace(pid).is_some_and(|space| self.namespaces.contains(&space)))
            && !is_dead()
    }
}

/// A process and all that it started.
pub(crate) fn family(server: u32) -> HashSet<u32> {
    let mut pids = HashSet::from([server]);
    // Parents have no smaller numbers than their children for ever, so look until nothing is added.
    loop {
        let found: Vec<u32> = processes().filter(|pid| is_child(*pid, &pids)).collect();
        let before = pids.len();
        pids.extend(found);
        if pids.len() == before {
            return pids;
        }
    }
}

fn processes() -> impl Iterator<Item = u32> {
    std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn is_child(pid: u32, of: &HashSet<u32>) -> bool {
    !of.contains(&pid) && stat(pid).is_some_and(|(_, parent)| of.contains(&parent))
}

/// Its state and its parent.
fn stat(pid: u32) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before may have spaces and brackets in it.
    let (_, rest) = text.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

fn namespace(pid: u32) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/ns/pid")).ok()
}
