//! Limits kept from outside a cell. What the kernel can keep by itself is set by stage 1, the zygote and the cell before any
//! code of a function runs; here is what must be watched, and the cgroups that spare us watching where we may make them.

mod cgroup;
mod process_times;
mod procfs;
mod watch;

pub(crate) use cgroup::{Cgroup, Cgroups};
pub(crate) use procfs::{Companions, data_bytes, kill_family, pid_of};
pub(crate) use watch::{Excess, Watch};
