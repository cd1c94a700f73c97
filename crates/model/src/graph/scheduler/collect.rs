//! Nodes that collect: they execute once, when nothing upstream of them can give any more.

use super::turn::Turn;
use crate::graph::builtin::Builtin;

impl Turn<'_> {
    /// Those upstream of others are waited for like executions.
    pub(super) fn prepare_collects(&mut self) {
        for collect in &self.plan.collects {
            self.state.nodes[*collect].collect.busy_upstream = self.plan.nodes[*collect].collects_upstream;
        }
        for collect in self.plan.collects.iter().filter(|collect| !self.plan.nodes[**collect].is_active) {
            self.state.nodes[*collect].collect.is_done = true;
            self.no_longer_awaited(*collect);
        }
        self.forget_losses();
    }

    /// Nothing is known of what a placeholder would have given, so it stays a loss.
    pub(super) fn forget_losses(&mut self) {
        for collect in &self.plan.collects {
            self.state.nodes[*collect].collect.lost_upstream = 0;
        }
        for node in self.plan.nodes.iter().filter(|node| node.builtin == Some(Builtin::Placeholder)) {
            for collect in &node.collected_by {
                self.state.nodes[*collect].collect.lost_upstream += 1;
            }
        }
    }

    /// Lets the first node that can collect do so.
    pub(super) fn collect_next(&mut self) -> bool {
        if self.state.outcome.is_some() {
            return false;
        }
        let ready = self.plan.collects.iter().copied().find(|at| {
            let state = &self.state.nodes[*at].collect;
            !state.is_done && state.busy_upstream == 0 && state.lost_upstream == 0
        });
        let Some(at) = ready.filter(|_| self.has_budget()) else { return false };
        let node = &mut self.state.nodes[at];
        node.collect.is_done = true;
        let parts = node.slots.iter_mut().flat_map(|slot| slot.queue.drain(..)).collect();
        let execution = node.next_execution(parts);
        self.execute(at, execution);
        self.no_longer_awaited(at);
        true
    }

    fn no_longer_awaited(&mut self, at: usize) {
        for collect in &self.plan.nodes[at].collected_by {
            self.state.nodes[*collect].collect.busy_upstream -= 1;
        }
    }

    /// An execution of the node, or a value on a link from it, is under way.
    pub(super) fn busy(&mut self, at: usize) {
        self.state.busy += 1;
        for collect in &self.plan.nodes[at].collected_by {
            self.state.nodes[*collect].collect.busy_upstream += 1;
        }
    }

    pub(super) fn idle(&mut self, at: usize) {
        self.state.busy -= 1;
        for collect in &self.plan.nodes[at].collected_by {
            self.state.nodes[*collect].collect.busy_upstream -= 1;
        }
    }
}
