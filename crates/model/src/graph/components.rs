//! Which nodes lie on a cycle: the strongly connected components of a Graph, by Tarjan's algorithm without recursion.

/// The component of each node; nodes have the same one if each reaches the other.
pub(super) fn components(next: &[Vec<usize>]) -> Vec<usize> {
    let mut search = Search::new(next.len());
    for node in 0..next.len() {
        if search.order[node] == UNSEEN {
            search.visit(node, next);
        }
    }
    search.component
}

const UNSEEN: usize = usize::MAX;

struct Search {
    order: Vec<usize>,
    lowest: Vec<usize>,
    component: Vec<usize>,
    /// Seen and not yet in a component.
    open: Vec<usize>,
    seen: usize,
    found: usize,
}

impl Search {
    fn new(count: usize) -> Search {
        let unseen = || vec![UNSEEN; count];
        Search { order: unseen(), lowest: unseen(), component: unseen(), open: Vec::new(), seen: 0, found: 0 }
    }

    fn visit(&mut self, root: usize, next: &[Vec<usize>]) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, done)) = path.last_mut() {
            let node = *node;
            match next[node].get(*done) {
                Some(&to) => {
                    *done += 1;
                    if self.order[to] == UNSEEN {
                        self.enter(to);
                        path.push((to, 0));
                    } else if self.component[to] == UNSEEN {
                        self.lowest[node] = self.lowest[node].min(self.order[to]);
                    }
                }
                None => {
                    path.pop();
                    self.leave(node);
                    if let Some((before, _)) = path.last() {
                        self.lowest[*before] = self.lowest[*before].min(self.lowest[node]);
                    }
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.order[node] = self.seen;
        self.lowest[node] = self.seen;
        self.seen += 1;
        self.open.push(node);
    }

    fn leave(&mut self, node: usize) {
        if self.lowest[node] != self.order[node] {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.component[member] = self.found;
            if member == node {
                break;
            }
        }
        self.found += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_each_other_are_one_component() {
        let found = components(&[vec![1], vec![2], vec![1, 3], vec![], vec![4]]);
        assert_eq!(found[1], found[2]);
        for (a, b) in [(0, 1), (1, 3), (0, 3), (3, 4)] {
            assert_ne!(found[a], found[b]);
        }
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let chain: Vec<Vec<usize>> =
            (1..=100_000).map(|to| if to < 100_000 { vec![to] } else { vec![0] }).collect();
        assert!(components(&chain).iter().all(|component| *component == 0));
    }
}
