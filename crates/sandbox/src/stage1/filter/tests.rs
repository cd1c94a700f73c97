use super::*;

/// The kernel's machine, as far as our filters use it.
fn decide(program: &[Instruction], number: u32, arguments: [u32; 2]) -> u32 {
    decide_on(program, OURS, number, arguments)
}

fn decide_on(program: &[Instruction], architecture: u32, number: u32, arguments: [u32; 2]) -> u32 {
    let (mut at, mut loaded) = (0, 0);
    loop {
        let one = program[at];
        at += 1;
        let jump = |yes: bool| usize::from(if yes { one.if_true } else { one.if_false });
        match one.code {
            LOAD => {
                loaded = match one.operand {
                    NUMBER => number,
                    ARCHITECTURE => architecture,
                    place => arguments[(place as usize - 16) / 8],
                }
            }
            AND => loaded &= one.operand,
            JUMP => at += one.operand as usize,
            JUMP_EQUAL => at += jump(loaded == one.operand),
            JUMP_AT_LEAST => at += jump(loaded >= one.operand),
            JUMP_ANY_BIT => at += jump(loaded & one.operand != 0),
            RETURN => return one.operand,
            other => panic!("instruction {other:#x} is not known"),
        }
    }
}

fn outer_says(number: libc::c_long) -> u32 {
    decide(&outer(), word(number), [0, 0])
}

#[test]
fn every_listed_call_gets_its_own_answer() {
    for number in calls::allowed() {
        assert_eq!(outer_says(number), Action::Allow.value(), "call {number}");
    }
    for number in calls::REFUSED {
        assert_eq!(outer_says(*number), Action::Fail(libc::EPERM).value(), "call {number}");
    }
    for number in calls::HOSTILE {
        assert_eq!(outer_says(*number), Action::Kill.value(), "call {number}");
    }
}

#[test]
fn a_call_nobody_listed_does_not_exist() {
    for number in [libc::SYS_clone3, 600, 1000, 0x3fff_ffff] {
        assert_eq!(outer_says(number), Action::Fail(libc::ENOSYS).value(), "call {number}");
    }
}

#[test]
fn another_architecture_and_the_x32_door_are_deadly() {
    assert_eq!(decide_on(&outer(), 0x4000_0003, 1, [0, 0]), Action::Kill.value());
    assert_eq!(decide(&outer(), X32 | 1, [0, 0]), Action::Kill.value());
}

#[test]
fn clone_makes_no_namespaces() {
    let say = |flags: i32| decide(&outer(), word(libc::SYS_clone), [flags.cast_unsigned(), 0]);
    assert_eq!(say(libc::SIGCHLD), Action::Allow.value());
    assert_eq!(say(libc::CLONE_NEWUSER | libc::SIGCHLD), Action::Fail(libc::EPERM).value());
    assert_eq!(say(libc::CLONE_NEWNET), Action::Fail(libc::EPERM).value());
}

#[test]
fn sockets_are_local_or_internet_and_not_raw() {
    let say = |family: i32, kind: i32| {
        decide(&outer(), word(libc::SYS_socket), [family.cast_unsigned(), kind.cast_unsigned()])
    };
    assert_eq!(say(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC), Action::Allow.value());
    assert_eq!(say(libc::AF_INET6, libc::SOCK_DGRAM), Action::Allow.value());
    assert_eq!(say(libc::AF_INET, libc::SOCK_RAW), Action::Fail(libc::EPERM).value());
    assert_eq!(say(libc::AF_NETLINK, libc::SOCK_DGRAM), Action::Fail(libc::EAFNOSUPPORT).value());
    assert_eq!(say(libc::AF_PACKET, libc::SOCK_DGRAM), Action::Fail(libc::EAFNOSUPPORT).value());
}

#[test]
fn the_inner_filter_takes_what_only_the_zygote_needs() {
    for number in calls::ZYGOTE_ONLY {
        assert_eq!(decide(&inner(), word(*number), [0, 0]), Action::Fail(libc::EPERM).value());
        assert_eq!(outer_says(*number), Action::Allow.value());
    }
    assert_eq!(decide(&inner(), word(libc::SYS_read), [0, 0]), Action::Allow.value());
}
