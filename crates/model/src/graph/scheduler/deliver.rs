//! Values on their way over links.

use std::sync::Arc;

use serde_json::Value;

use super::happened::{Action, Impossible};
use super::plan::LinkIndex;
use super::state::Item;
use super::turn::Turn;

impl Turn<'_> {
    pub(super) fn deliver(&mut self, from: usize, pin: &str, value: &Arc<Value>) {
        let plan = self.plan;
        for link in plan.nodes[from].links(pin) {
            let index = LinkIndex(*link as u32);
            let is_behind = self.state.held.contains_key(link);
            if !is_behind && !self.state.breakpoints.links.contains(&index) {
                self.arrive(*link, value);
                continue;
            }
            self.state.held.entry(*link).or_default().push_back(Arc::clone(value));
            self.busy(from);
            if !is_behind {
                self.actions.push(Action::HoldValue { link: index, value: Arc::clone(value) });
            }
        }
    }

    /// A path that does not fit is told by the execution that the value was meant for.
    pub(super) fn arrive(&mut self, link: usize, value: &Arc<Value>) {
        let link = &self.plan.links[link];
        let to = &self.plan.nodes[link.to];
        if !to.is_active {
            return;
        }
        let from = || &self.plan.nodes[link.from].id;
        let selected = link.path.select(value);
        let value = selected
            .map_err(|why| format!("cannot take `{}` from node `{}`: {why}", link.path, from()).into());
        let item = Item { value, is_static: link.is_static };
        self.state.nodes[link.to].push(link.slot, item);
        self.open.push_back(link.to);
    }

    /// Those behind it follow, unless the breakpoint is still there.
    pub(super) fn release_value(
        &mut self,
        link: LinkIndex,
        value: Option<Arc<Value>>,
    ) -> Result<(), Impossible> {
        let at = link.0 as usize;
        let is_break = self.state.breakpoints.links.contains(&link);
        let mut held = self.state.held.remove(&at).ok_or(Impossible::NoValueHeld(link.0))?;
        let mut changed = value;
        while let Some(value) = held.pop_front() {
            self.arrive(at, &changed.take().unwrap_or(value));
            self.idle(self.plan.links[at].from);
            if let (Some(next), true) = (held.front(), is_break) {
                self.actions.push(Action::HoldValue { link, value: Arc::clone(next) });
                self.state.held.insert(at, held);
                break;
            }
        }
        Ok(())
    }
}
