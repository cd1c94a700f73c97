//! The drafts of a Run: visible only to that Run until it proposes them.

use model::name::EntryName;

use crate::app::changesets::drafts::{Intent, Proposal};

#[derive(Default)]
pub(crate) struct Drafts {
    intents: Vec<(EntryName, Intent)>,
}

impl Drafts {
    /// A second draft of a name replaces the first.
    pub(crate) fn put(&mut self, name: EntryName, intent: Intent) {
        self.intents.retain(|(other, _)| *other != name);
        self.intents.push((name, intent));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.intents.is_empty()
    }

    pub(crate) fn names(&self) -> Vec<EntryName> {
        self.intents.iter().map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn proposal(&self, title: &str) -> Proposal {
        Proposal::of(title, self.intents.iter().map(|(_, intent)| intent.clone()).collect())
    }

    /// All drafts, if this is one of them.
    pub(crate) fn proposal_with(&self, name: &EntryName) -> Option<Proposal> {
        self.intents.iter().any(|(other, _)| other == name).then(|| self.proposal(""))
    }

    pub(crate) fn clear(&mut self) {
        self.intents.clear();
    }
}
