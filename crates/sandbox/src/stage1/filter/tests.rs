use super::*;

/// The kernel's machine, as far as our filters use it.
fn decide<const N: usize>(program: &[Instruction], number: u32, arguments: [u32; N]) -> u32 {
    decide_on(program, OURS, number, arguments.map(u64::from))
}

fn decide_on<const N: usize>(
    program: &[Instruction],
    architecture: u32,
    number: u32,
    arguments: [u64; N],
) -> u32 {
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
                    place => half(arguments.get((place as usize - 16) / 8).copied().unwrap_or(0), place),
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

/// The half of an argument that lies at a place.
fn half(argument: u64, place: u32) -> u32 {
    let [low, high] = [argument & u64::from(u32::MAX), argument >> 32];
    u32::try_from(if place.is_multiple_of(8) { low } else { high }).unwrap()
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
fn sockets_speak_tcp_and_udp_alone_whichever_call_makes_them() {
    let kind = libc::SOCK_STREAM.cast_unsigned();
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        let say = |family: i32, protocol: i32| {
            decide(&outer(), word(call), [family.cast_unsigned(), kind, protocol.cast_unsigned()])
        };
        assert_eq!(say(libc::AF_UNIX, 0), Action::Allow.value());
        assert_eq!(say(libc::AF_INET, libc::IPPROTO_TCP), Action::Allow.value());
        for protocol in [libc::IPPROTO_ICMP, libc::IPPROTO_SCTP, libc::IPPROTO_MPTCP, libc::IPPROTO_DCCP] {
            assert_eq!(say(libc::AF_INET6, protocol), Action::Fail(libc::EPROTONOSUPPORT).value());
        }
        assert_eq!(say(libc::AF_TIPC, 0), Action::Fail(libc::EAFNOSUPPORT).value());
    }
}

#[test]
fn buffers_of_sockets_keep_their_size_and_other_options_are_set() {
    let say = |level: i32, option: i32| {
        decide(&outer(), word(libc::SYS_setsockopt), [4, level.cast_unsigned(), option.cast_unsigned()])
    };
    assert_eq!(say(libc::SOL_SOCKET, libc::SO_SNDBUF), Action::Fail(0).value());
    assert_eq!(say(libc::SOL_SOCKET, libc::SO_RCVBUF), Action::Fail(0).value());
    assert_eq!(say(libc::SOL_SOCKET, libc::SO_REUSEADDR), Action::Allow.value());
    assert_eq!(say(libc::IPPROTO_TCP, libc::SO_SNDBUF), Action::Allow.value());
}

#[test]
fn files_that_others_use_too_cannot_be_watched_or_held() {
    let say = |command: i32| decide(&outer(), word(libc::SYS_fcntl), [4, command.cast_unsigned()]);
    assert_eq!(say(libc::F_SETLK), Action::Allow.value());
    assert_eq!(say(libc::F_NOTIFY), Action::Fail(libc::EPERM).value());
    assert_eq!(say(libc::F_SETLEASE), Action::Fail(libc::EPERM).value());
}

#[test]
fn the_limit_of_core_dumps_is_asked_for_and_not_set() {
    let refused = Action::Fail(libc::EPERM).value();
    let say = |limit: u32, new: u64| {
        decide_on(&outer(), OURS, word(libc::SYS_prlimit64), [0, u64::from(limit), new, 0])
    };
    assert_eq!(say(libc::RLIMIT_CORE, 0), Action::Allow.value());
    assert_eq!(say(libc::RLIMIT_NOFILE, 0x7f00_0000_1000), Action::Allow.value());
    assert_eq!(say(libc::RLIMIT_CORE, 0x7f00_0000_1000), refused);
    assert_eq!(say(libc::RLIMIT_CORE, 0x7f00_0000_0000), refused);
    assert_eq!(decide(&outer(), word(libc::SYS_setrlimit), [libc::RLIMIT_CORE]), refused);
    assert_eq!(decide(&outer(), word(libc::SYS_setrlimit), [libc::RLIMIT_STACK]), Action::Allow.value());
}

#[test]
fn the_inner_filter_takes_what_only_the_zygote_needs() {
    for number in calls::ZYGOTE_ONLY {
        assert_eq!(decide(&inner(), word(*number), [0, 0]), Action::Fail(libc::EPERM).value());
        assert_eq!(outer_says(*number), Action::Allow.value());
    }
    assert_eq!(decide(&inner(), word(libc::SYS_read), [0, 0]), Action::Allow.value());
}
