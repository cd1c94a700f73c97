//! What memory there is for cells.

/// All that the machine has, used or not.
pub fn memory_bytes() -> u64 {
    let machine = rustix::system::sysinfo();
    (machine.totalram as u64).saturating_mul(machine.mem_unit.into())
}
