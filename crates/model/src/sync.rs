//! What syncing a folder with a brain has to do: both are compared with what they were when they were last in sync.
//!
//! A change that only one side made is carried to the other. Where both changed, nobody can know which is meant, so neither is
//! overwritten.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::version::VersionNumber;

/// One entry when folder and brain were last in sync. Its file need not have the text in which the brain would export it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Synced {
    pub version: VersionNumber,
    /// SHA-256 of the file.
    pub file: String,
}

/// What the brain has now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    pub version: VersionNumber,
    /// SHA-256 of the text in which it is exported.
    pub text: String,
}

/// All paths are those of a brain folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SyncPlan {
    /// Files the brain gets.
    pub push: Vec<String>,
    /// Entries the brain deletes, because their files are gone.
    pub push_removal: Vec<String>,
    /// Files that are written as the brain has them.
    pub pull: Vec<String>,
    /// Files that are removed, because the brain deleted their entries.
    pub pull_removal: Vec<String>,
    /// What changed on both sides.
    pub conflicts: Vec<String>,
}

/// Whose change counts where both sides changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Folder,
    Brain,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Happened {
    Nothing,
    Changed(Side),
    BothChanged,
}

impl SyncPlan {
    /// `folder` has the SHA-256 of each file.
    pub fn new(
        before: &BTreeMap<String, Synced>,
        folder: &BTreeMap<String, String>,
        brain: &BTreeMap<String, Live>,
    ) -> SyncPlan {
        let mut plan = SyncPlan::default();
        let paths: BTreeSet<&String> = before.keys().chain(folder.keys()).chain(brain.keys()).collect();
        for path in paths {
            let (file, live) = (folder.get(path), brain.get(path));
            match happened(before.get(path), file, live) {
                Happened::Nothing => {}
                Happened::Changed(side) => plan.carry(side, path, file.is_some(), live.is_some()),
                Happened::BothChanged => plan.conflicts.push(path.clone()),
            }
        }
        plan
    }

    /// The same, with all conflicts decided for one side.
    pub fn decided(
        mut self,
        side: Side,
        folder: &BTreeMap<String, String>,
        brain: &BTreeMap<String, Live>,
    ) -> SyncPlan {
        for path in std::mem::take(&mut self.conflicts) {
            let (has_file, is_live) = (folder.contains_key(&path), brain.contains_key(&path));
            self.carry(side, &path, has_file, is_live);
        }
        self
    }

    pub fn is_empty(&self) -> bool {
        *self == SyncPlan::default()
    }

    pub fn pushes(&self) -> bool {
        !self.push.is_empty() || !self.push_removal.is_empty()
    }

    fn carry(&mut self, from: Side, path: &str, has_file: bool, is_live: bool) {
        let list = match (from, has_file, is_live) {
            (Side::Folder, true, _) => &mut self.push,
            (Side::Folder, false, _) => &mut self.push_removal,
            (Side::Brain, _, true) => &mut self.pull,
            (Side::Brain, _, false) => &mut self.pull_removal,
        };
        list.push(path.to_owned());
    }
}

fn happened(before: Option<&Synced>, file: Option<&String>, live: Option<&Live>) -> Happened {
    let is_same = match (file, live) {
        (Some(file), Some(live)) => *file == live.text,
        (None, None) => true,
        _ => false,
    };
    if is_same {
        return Happened::Nothing;
    }
    let file_changed = file != before.map(|before| &before.file);
    let brain_changed = live.map(|live| live.version) != before.map(|before| before.version);
    match (file_changed, brain_changed) {
        (false, false) => Happened::Nothing,
        (true, false) => Happened::Changed(Side::Folder),
        (false, true) => Happened::Changed(Side::Brain),
        (true, true) => Happened::BothChanged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Folder = BTreeMap<String, String>;
    type Brain = BTreeMap<String, Live>;
    type Before = BTreeMap<String, Synced>;

    fn live(version: u32, text: &str) -> Live {
        Live { version: VersionNumber(version), text: text.to_owned() }
    }

    /// One entry: what it was, its file now, and what the brain has now; and the list it lands in.
    fn check(before: Option<(u32, &str)>, file: Option<&str>, brain: Option<(u32, &str)>, expected: &str) {
        let path = "functions/a.py".to_owned();
        let synced =
            |(version, file): (u32, &str)| Synced { version: VersionNumber(version), file: file.to_owned() };
        let before: Before = before.map(|before| (path.clone(), synced(before))).into_iter().collect();
        let folder: Folder = file.map(|file| (path.clone(), file.to_owned())).into_iter().collect();
        let brain: Brain =
            brain.map(|(version, text)| (path.clone(), live(version, text))).into_iter().collect();
        let plan = SyncPlan::new(&before, &folder, &brain);
        let lists = [
            ("push", &plan.push),
            ("push removal", &plan.push_removal),
            ("pull", &plan.pull),
            ("pull removal", &plan.pull_removal),
            ("conflict", &plan.conflicts),
        ];
        let found: Vec<&str> =
            lists.iter().filter(|(_, list)| !list.is_empty()).map(|(name, _)| *name).collect();
        assert_eq!(found.first().copied().unwrap_or("nothing"), expected);
    }

    #[test]
    fn what_one_side_changed_is_carried_to_the_other() {
        check(None, Some("x"), None, "push");
        check(None, None, Some((1, "x")), "pull");
        check(Some((1, "x")), Some("y"), Some((1, "x")), "push");
        check(Some((1, "x")), Some("x"), Some((2, "y")), "pull");
        check(Some((1, "x")), None, Some((1, "x")), "push removal");
        check(Some((1, "x")), Some("x"), None, "pull removal");
    }

    #[test]
    fn what_both_changed_is_a_conflict_unless_they_agree() {
        check(Some((1, "x")), Some("y"), Some((2, "z")), "conflict");
        check(Some((1, "x")), None, Some((2, "z")), "conflict");
        check(Some((1, "x")), Some("y"), None, "conflict");
        check(None, Some("x"), Some((1, "y")), "conflict");
        check(Some((1, "x")), Some("y"), Some((2, "y")), "nothing");
        check(Some((1, "x")), None, None, "nothing");
    }

    #[test]
    fn a_file_that_is_written_another_way_is_in_sync() {
        check(Some((1, "by hand")), Some("by hand"), Some((1, "as exported")), "nothing");
    }

    /// What both have after the plan was carried out, and what they then were when they were in sync.
    fn carried(plan: &SyncPlan, before: &Before, folder: &Folder, brain: &Brain) -> (Before, Folder, Brain) {
        let (mut folder, mut brain) = (folder.clone(), brain.clone());
        for path in &plan.push {
            let version = brain.get(path).map_or(9, |live| live.version.0 + 1);
            brain.insert(path.clone(), live(version, &folder[path]));
        }
        plan.push_removal.iter().for_each(|path| drop(brain.remove(path)));
        plan.pull.iter().for_each(|path| drop(folder.insert(path.clone(), brain[path].text.clone())));
        plan.pull_removal.iter().for_each(|path| drop(folder.remove(path)));
        let paths = folder.keys().filter(|path| brain.contains_key(*path));
        let in_sync = paths.filter(|path| !plan.conflicts.contains(path));
        let synced = |path: &String| Synced { version: brain[path].version, file: folder[path].clone() };
        let mut after: Before = in_sync.map(|path| (path.clone(), synced(path))).collect();
        for path in &plan.conflicts {
            after.extend(before.get(path).map(|synced| (path.clone(), synced.clone())));
        }
        (after, folder, brain)
    }

    fn texts() -> impl Strategy<Value = BTreeMap<String, (u32, String)>> {
        prop::collection::btree_map("[a-d]", (1..4u32, "[xyz]"), 0..4)
    }

    proptest! {
        #[test]
        fn after_a_sync_only_conflicts_are_left_and_they_were_not_touched(before in texts(), folder in texts(), brain in texts()) {
            let before: Before = before.into_iter().map(|(path, (version, file))| (path, Synced { version: VersionNumber(version), file })).collect();
            let folder: Folder = folder.into_iter().map(|(path, (_, file))| (path, file)).collect();
            let brain: Brain = brain.into_iter().map(|(path, (version, text))| (path, live(version, &text))).collect();
            let plan = SyncPlan::new(&before, &folder, &brain);
            let (after, folder_after, brain_after) = carried(&plan, &before, &folder, &brain);
            for path in &plan.conflicts {
                prop_assert_eq!(folder.get(path), folder_after.get(path));
                prop_assert_eq!(brain.get(path), brain_after.get(path));
            }
            let again = SyncPlan::new(&after, &folder_after, &brain_after);
            prop_assert_eq!(&again, &SyncPlan { conflicts: plan.conflicts.clone(), ..SyncPlan::default() });
            for side in [Side::Folder, Side::Brain] {
                let decided = again.clone().decided(side, &folder_after, &brain_after);
                let (last, folder_last, brain_last) = carried(&decided, &after, &folder_after, &brain_after);
                prop_assert!(SyncPlan::new(&last, &folder_last, &brain_last).is_empty());
            }
        }
    }
}
