//! The seccomp filters, as programs for the kernel's small machine. Two levels: a large outer one that the zygote is started
//! under and every cell inherits for nothing, and a small inner one that takes from the cell what the zygote still needed.
//!
//! What is not listed in `calls` does not exist (`ENOSYS`), so that a call the kernel gains tomorrow is closed today.

use crate::stage1::calls;
use crate::sys::Instruction;

const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_AT_LEAST: u16 = 0x35;
const JUMP_ANY_BIT: u16 = 0x45;
const AND: u16 = 0x54;
const RETURN: u16 = 0x06;

const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;

#[cfg(target_arch = "x86_64")]
const OURS: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const OURS: u32 = 0xC000_00B7;

/// Numbers from here on are the x32 flavour of x86-64, a second door to the same calls.
const X32: u32 = 0x4000_0000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Allow,
    Fail(i32),
    Kill,
}

impl Action {
    fn value(self) -> u32 {
        match self {
            Action::Allow => libc::SECCOMP_RET_ALLOW,
            Action::Fail(errno) => libc::SECCOMP_RET_ERRNO | (errno.unsigned_abs() & libc::SECCOMP_RET_DATA),
            Action::Kill => libc::SECCOMP_RET_KILL_PROCESS,
        }
    }
}

/// The filter of the zygote and all cells.
pub(crate) fn outer() -> Vec<Instruction> {
    let mut program = vec![load(ARCHITECTURE)];
    program.extend(unless_equal(OURS, ret(Action::Kill)));
    program.push(load(NUMBER));
    program.push(step(JUMP_AT_LEAST, X32, 0, 1));
    program.push(ret(Action::Kill));
    program.extend(clone_rule());
    program.extend(socket_rule(libc::SYS_socket));
    program.extend(socket_rule(libc::SYS_socketpair));
    program.extend(buffer_rule());
    program.extend(ioctl_rule());
    program.extend(fcntl_rule());
    program.extend(core_rule());
    program.extend(tree(&segments()));
    program
}

/// What the zygote may do and a cell may not.
pub(crate) fn inner() -> Vec<Instruction> {
    let mut program = vec![load(NUMBER)];
    let count = calls::ZYGOTE_ONLY.len();
    for (place, number) in calls::ZYGOTE_ONLY.iter().enumerate() {
        program.push(step(JUMP_EQUAL, word(*number), offset(count - place), 0));
    }
    program.push(ret(Action::Allow));
    program.push(ret(Action::Fail(libc::EPERM)));
    program
}

/// The bytes of a filter, for the Python side.
pub(crate) fn bytes(program: &[Instruction]) -> Vec<u8> {
    program
        .iter()
        .flat_map(|one| {
            let [a, b] = one.code.to_ne_bytes();
            let [c, d, e, f] = one.operand.to_ne_bytes();
            [a, b, one.if_true, one.if_false, c, d, e, f]
        })
        .collect()
}

/// `clone` starts threads and processes, never namespaces.
fn clone_rule() -> Vec<Instruction> {
    let flags = libc::CLONE_NEWNS
        | libc::CLONE_NEWCGROUP
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET;
    let body = [
        load(argument(0)),
        step(JUMP_ANY_BIT, flags.cast_unsigned(), 0, 1),
        ret(Action::Fail(libc::EPERM)),
        ret(Action::Allow),
    ];
    only_for(libc::SYS_clone, &body)
}

/// Sockets are local or Internet ones, never raw, and speak TCP or UDP: for any other family or protocol the kernel would
/// load a module that nobody on the machine may have asked for before.
fn socket_rule(call: libc::c_long) -> Vec<Instruction> {
    let body = [
        load(argument(0)),
        step(JUMP_EQUAL, libc::AF_UNIX.cast_unsigned(), 3, 0),
        step(JUMP_EQUAL, libc::AF_INET.cast_unsigned(), 2, 0),
        step(JUMP_EQUAL, libc::AF_INET6.cast_unsigned(), 1, 0),
        ret(Action::Fail(libc::EAFNOSUPPORT)),
        load(argument(1)),
        step(AND, 0xf, 0, 0),
        step(JUMP_EQUAL, libc::SOCK_STREAM.cast_unsigned(), 3, 0),
        step(JUMP_EQUAL, libc::SOCK_DGRAM.cast_unsigned(), 2, 0),
        step(JUMP_EQUAL, libc::SOCK_SEQPACKET.cast_unsigned(), 1, 0),
        ret(Action::Fail(libc::EPERM)),
        load(argument(2)),
        step(JUMP_EQUAL, 0, 3, 0),
        step(JUMP_EQUAL, libc::IPPROTO_TCP.cast_unsigned(), 2, 0),
        step(JUMP_EQUAL, libc::IPPROTO_UDP.cast_unsigned(), 1, 0),
        ret(Action::Fail(libc::EPROTONOSUPPORT)),
        ret(Action::Allow),
    ];
    only_for(call, &body)
}

/// What lies in the buffers of sockets is in no limit of a process, so their size stays what it is by default. Programs take
/// the size they ask for as a hint, so they learn that all is well.
fn buffer_rule() -> Vec<Instruction> {
    let body = [
        load(argument(1)),
        step(JUMP_EQUAL, libc::SOL_SOCKET.cast_unsigned(), 1, 0),
        ret(Action::Allow),
        load(argument(2)),
        step(JUMP_EQUAL, libc::SO_SNDBUF.cast_unsigned(), 2, 0),
        step(JUMP_EQUAL, libc::SO_RCVBUF.cast_unsigned(), 1, 0),
        ret(Action::Allow),
        ret(Action::Fail(0)),
    ];
    only_for(libc::SYS_setsockopt, &body)
}

/// Hearing what others do with a file that cells share, and holding them up.
fn fcntl_rule() -> Vec<Instruction> {
    let body = [
        load(argument(1)),
        step(JUMP_EQUAL, libc::F_NOTIFY.cast_unsigned(), 2, 0),
        step(JUMP_EQUAL, libc::F_SETLEASE.cast_unsigned(), 1, 0),
        ret(Action::Allow),
        ret(Action::Fail(libc::EPERM)),
    ];
    only_for(libc::SYS_fcntl, &body)
}

/// The limit of core dumps stays what stage 1 made it; see there. Asking for it is allowed, and is the same call with no new
/// value.
fn core_rule() -> Vec<Instruction> {
    let refused = ret(Action::Fail(libc::EPERM));
    let set = [load(argument(0)), step(JUMP_EQUAL, libc::RLIMIT_CORE, 1, 0), ret(Action::Allow), refused];
    let set_or_ask = [
        load(argument(1)),
        step(JUMP_EQUAL, libc::RLIMIT_CORE, 1, 0),
        ret(Action::Allow),
        load(argument(2)),
        step(JUMP_EQUAL, 0, 0, 3),
        load(argument(2) + 4),
        step(JUMP_EQUAL, 0, 0, 1),
        ret(Action::Allow),
        refused,
    ];
    let mut program = only_for(libc::SYS_setrlimit, &set);
    program.extend(only_for(libc::SYS_prlimit64, &set_or_ask));
    program
}

/// Typing into someone's terminal, selecting from it, changing its line discipline.
fn ioctl_rule() -> Vec<Instruction> {
    const TIOCLINUX: u32 = 0x541C;
    const TIOCSTI: u32 = 0x5412;
    const TIOCSETD: u32 = 0x5423;
    let body = [
        load(argument(1)),
        step(JUMP_EQUAL, TIOCSTI, 3, 0),
        step(JUMP_EQUAL, TIOCLINUX, 2, 0),
        step(JUMP_EQUAL, TIOCSETD, 1, 0),
        ret(Action::Allow),
        ret(Action::Fail(libc::EPERM)),
    ];
    only_for(libc::SYS_ioctl, &body)
}

/// Every number from 0 on, as stretches that share an action.
fn segments() -> Vec<(u32, Action)> {
    let mut listed = Vec::new();
    listed.extend(calls::allowed().map(|number| (word(number), Action::Allow)));
    listed.extend(calls::REFUSED.iter().map(|number| (word(*number), Action::Fail(libc::EPERM))));
    listed.extend(calls::HOSTILE.iter().map(|number| (word(*number), Action::Kill)));
    listed.sort_by_key(|(number, _)| *number);
    let mut all = vec![(0, Action::Fail(libc::ENOSYS))];
    for (number, action) in listed {
        if let Some(last) = all.last_mut().filter(|last| last.0 == number) {
            last.1 = action;
        } else {
            all.push((number, action));
        }
        all.push((number + 1, Action::Fail(libc::ENOSYS)));
    }
    all.dedup_by(|later, earlier| later.1 == earlier.1);
    all
}

/// A binary search: about seven comparisons decide among some hundred stretches.
fn tree(segments: &[(u32, Action)]) -> Vec<Instruction> {
    if let [(_, action)] = segments {
        return vec![ret(*action)];
    }
    let (low, high) = segments.split_at(segments.len() / 2);
    let below = tree(low);
    let mut program = vec![
        step(JUMP_AT_LEAST, high[0].0, 0, 1),
        Instruction { code: JUMP, if_true: 0, if_false: 0, operand: word(below.len()) },
    ];
    program.extend(below);
    program.extend(tree(high));
    program
}

/// Runs `body`, which must end in returns, for one call; goes on for the others with the number still loaded.
fn only_for(call: libc::c_long, body: &[Instruction]) -> Vec<Instruction> {
    let mut program = vec![step(JUMP_EQUAL, word(call), 0, offset(body.len()))];
    program.extend(body);
    program
}

fn unless_equal(value: u32, otherwise: Instruction) -> [Instruction; 2] {
    [step(JUMP_EQUAL, value, 1, 0), otherwise]
}

fn load(from: u32) -> Instruction {
    step(LOAD, from, 0, 0)
}

fn ret(action: Action) -> Instruction {
    step(RETURN, action.value(), 0, 0)
}

fn step(code: u16, operand: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction { code, if_true, if_false, operand }
}

/// Where the low half of an argument lies; both architectures we know are little-endian.
fn argument(index: u32) -> u32 {
    16 + 8 * index
}

fn word<N: TryInto<u32>>(number: N) -> u32 {
    number.try_into().unwrap_or(u32::MAX)
}

fn offset(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests;
