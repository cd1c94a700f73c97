//! The values that one field allows, as bits.

/// Every field counts below 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Values(u64);

impl Values {
    pub(super) fn all(least: u8, most: u8) -> Values {
        Values::stepped(least, most, 1)
    }

    pub(super) fn stepped(least: u8, most: u8, step: u8) -> Values {
        let mut values = Values::default();
        (least..=most).step_by(usize::from(step.max(1))).for_each(|value| values.add(value));
        values
    }

    pub(super) fn add(&mut self, value: u8) {
        self.0 |= 1 << value;
    }

    pub(super) fn extend(&mut self, other: Values) {
        self.0 |= other.0;
    }

    pub(super) fn remove(&mut self, value: u8) -> bool {
        let had = self.has(value);
        self.0 &= !(1 << value);
        had
    }

    pub(super) fn has(self, value: u8) -> bool {
        self.0 & (1 << value) != 0
    }

    /// The smallest that is not below `value`.
    pub(super) fn at_or_after(self, value: u8) -> Option<u8> {
        let rest = self.0.checked_shr(u32::from(value))? << value;
        (rest != 0).then(|| rest.trailing_zeros() as u8)
    }
}
