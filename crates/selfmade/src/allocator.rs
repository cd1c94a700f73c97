//! What memory comes from: an allocator that keeps threads out of each other's way.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Gives back what is free. The allocator does so by itself where much is going on, and keeps what the start of a server needed
/// where nothing is.
#[allow(
    unsafe_code,
    reason = "the allocator's own function, which may be called at any time, from any thread"
)]
pub(crate) fn give_back() {
    // SAFETY: it takes no pointers and has no preconditions.
    unsafe { libmimalloc_sys::mi_collect(true) };
}
