//! A fair line: everyone who waits gets one turn before anyone gets another.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// A line of things that wait, each for someone.
#[derive(Debug)]
pub struct Turns<Who, Waiting> {
    /// Whose turn it is, next first; everybody who waits for something is in it once.
    order: VecDeque<Who>,
    waiting: HashMap<Who, VecDeque<Waiting>>,
    count: usize,
}

impl<Who, Waiting> Default for Turns<Who, Waiting> {
    fn default() -> Self {
        Turns { order: VecDeque::new(), waiting: HashMap::new(), count: 0 }
    }
}

impl<Who: Clone + Eq + Hash, Waiting> Turns<Who, Waiting> {
    /// At the end of what waits for the same one.
    pub fn push(&mut self, who: Who, waiting: Waiting) {
        let own = self.waiting.entry(who.clone()).or_default();
        if own.is_empty() {
            self.order.push_back(who);
        }
        own.push_back(waiting);
        self.count += 1;
    }

    /// What has waited longest for whoever's turn it is.
    pub fn pop(&mut self) -> Option<Waiting> {
        let who = self.order.pop_front()?;
        let own = self.waiting.get_mut(&who)?;
        let next = own.pop_front()?;
        self.count -= 1;
        if own.is_empty() {
            self.waiting.remove(&who);
        } else {
            self.order.push_back(who);
        }
        Some(next)
    }

    /// Leaves out what nobody waits for any more.
    pub fn retain(&mut self, is_wanted: impl Fn(&Waiting) -> bool) {
        for own in self.waiting.values_mut() {
            own.retain(&is_wanted);
        }
        self.waiting.retain(|_, own| !own.is_empty());
        let waiting = &self.waiting;
        self.order.retain(|who| waiting.contains_key(who));
        self.count = self.waiting.values().map(VecDeque::len).sum();
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn whoever_wants_little_does_not_wait_for_whoever_wants_much() {
        let mut turns = Turns::default();
        for number in 0..100 {
            turns.push("greedy", number);
        }
        turns.push("modest", 1_000);
        assert_eq!([turns.pop(), turns.pop()], [Some(0), Some(1_000)]);
    }

    proptest! {
        #[test]
        fn all_are_served_once_and_each_in_their_own_order(pushed in prop::collection::vec(0_u8..4, 0..60)) {
            let mut turns = Turns::default();
            for (number, who) in pushed.iter().enumerate() {
                turns.push(*who, (*who, number));
            }
            prop_assert_eq!(turns.len(), pushed.len());
            let served: Vec<(u8, usize)> = std::iter::from_fn(|| turns.pop()).collect();
            prop_assert!(turns.is_empty());
            prop_assert_eq!(served.len(), pushed.len());
            for who in 0..4 {
                let own: Vec<usize> = served.iter().filter(|(one, _)| *one == who).map(|(_, number)| *number).collect();
                prop_assert!(own.is_sorted());
            }
        }

        #[test]
        fn nobody_gets_two_turns_while_another_waits(counts in prop::collection::vec(1_usize..9, 1..6)) {
            let mut turns = Turns::default();
            for (who, count) in counts.iter().enumerate() {
                (0..*count).for_each(|_| turns.push(who, who));
            }
            let served: Vec<usize> = std::iter::from_fn(|| turns.pop()).collect();
            let had = |who: usize, upto: usize| served[..upto].iter().filter(|one| **one == who).count();
            for upto in 0..served.len() {
                for (one, count) in counts.iter().enumerate() {
                    if had(one, upto) < *count {
                        let most = (0..counts.len()).map(|other| had(other, upto)).max().unwrap();
                        prop_assert!(most <= had(one, upto) + 1);
                    }
                }
            }
        }

        #[test]
        fn what_is_left_out_is_not_served(pushed in prop::collection::vec((0_u8..4, any::<bool>()), 0..60)) {
            let mut turns = Turns::default();
            for (who, is_wanted) in &pushed {
                turns.push(*who, *is_wanted);
            }
            turns.retain(|is_wanted| *is_wanted);
            prop_assert_eq!(turns.len(), pushed.iter().filter(|(_, is_wanted)| *is_wanted).count());
            prop_assert!(std::iter::from_fn(|| turns.pop()).all(|is_wanted| is_wanted));
        }
    }
}
