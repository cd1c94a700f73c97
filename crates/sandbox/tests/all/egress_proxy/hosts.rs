use std::net::IpAddr;

use proptest::prelude::{ProptestConfig, any, prop, prop_assert, proptest};
use selfmade_sandbox::egress::{EgressPolicy, Host, HostRule};

use super::world::{World, get, policy, rule};

#[test]
fn spellings_of_one_host_are_one_host() {
    for text in ["api.test", "API.Test", "api.test."] {
        assert_eq!(Host::read(text), Some(Host::Name("api.test".to_owned())), "{text}");
    }
    assert_eq!(Host::read("[::FFFF:127.0.0.1]"), Some(Host::Address(IpAddr::from([127, 0, 0, 1]))));
}

#[test]
fn spellings_with_two_readings_are_no_hosts() {
    let texts = "|.|..|a..b|.a|a b|a%2eb|a@b|user:pw@a|a:b|[::1|::1|[::1]x|[fe80::1%25eth0]|127.1|0x7f.0.0.1|0x7f000001|2130706433|\
                 0177.0.0.1|127.0.0.1.|1.2.3.4.5|api.test..|bücher.test|ａpi.test|-a.test|a-.test|a/b|a\\b|a#b|a?b|a\tb|a\0b|*.test|*";
    for text in texts.split('|') {
        assert_eq!(Host::read(text), None, "{text:?}");
    }
    assert_eq!(Host::read(&format!("{}.test", "a".repeat(64))), None);
    assert_eq!(Host::read(&"a.".repeat(200)), None);
}

#[test]
fn a_rule_lists_what_it_says_and_no_more() {
    let allows =
        |rule: &str, host: &str, port| HostRule::read(rule).unwrap().allows(&Host::read(host).unwrap(), port);
    assert!(allows("api.test", "api.test", 80) && allows("api.test", "api.test", 443));
    assert!(!allows("api.test", "api.test", 8080) && !allows("api.test", "www.api.test", 443));
    assert!(allows("api.test:8080", "api.test", 8080) && !allows("api.test:8080", "api.test", 443));
    assert!(allows("*.api.test", "a.api.test", 443) && allows("*.api.test", "a.b.api.test", 443));
    assert!(!allows("*.api.test", "api.test", 443) && !allows("*.api.test", "evilapi.test", 443));
    assert!(!allows("api.test", "api.test.evil.test", 443) && !allows("*.test", "127.0.0.1", 443));
    assert!(allows("[::1]:81", "[::1]", 81) && allows("10.0.0.1", "10.0.0.1", 80));
    for bad in [
        "",
        "*",
        "*.",
        "*.10.0.0.1",
        "a.*.test",
        "a*.test",
        "http://a.test",
        "a.test/x",
        "a.test:",
        "a.test:0",
        "a.test:99999",
        "a.test:+1",
    ] {
        assert_eq!(HostRule::read(bad), None, "{bad}");
    }
}

#[tokio::test]
async fn a_policy_that_cannot_be_read_is_refused_as_a_whole() {
    use selfmade_sandbox::egress::Egress;
    let world = World::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let policy = EgressPolicy {
        hosts: vec!["a.test".to_owned(), "bücher.test".to_owned()],
        ..EgressPolicy::default()
    };
    let error = world.proxy.serve(listener.into(), &policy).err().unwrap();
    assert!(error.to_string().contains("`bücher.test` is not a host"), "{error}");
}

#[tokio::test]
async fn tricks_with_the_host_of_a_url_reach_nothing() {
    let world = World::new();
    let server = world.http_server().await;
    let port = server.port;
    let way = world.serve(&policy(&[format!("api.test:{port}")]));
    for authority in [
        format!("api.test@127.0.0.1:{port}"),
        format!("127.0.0.1:{port}"),
        format!("user@api.test:{port}"),
        format!("api.test%2f:{port}"),
        format!("api.test..:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("2130706433:{port}"),
        format!("0x7f.1:{port}"),
        format!("localhost:{port}"),
        format!("xapi.test:{port}"),
        format!("api.test:0{port}0"),
    ] {
        let answer = get(&way, &format!("http://{authority}/"), "").await;
        assert!(answer.starts_with("HTTP/1.1 40"), "{authority}: {answer}");
        assert!(["malformed", "not-listed", "port"].contains(&rule(&world.record().await)), "{authority}");
    }
    assert!(server.seen().is_empty(), "{:?}", server.seen());
}

/// A matcher that is too simple to be wrong: lower case, one final dot off, then equal texts or an ending after a dot.
fn reference(rule: &str, host: &str) -> bool {
    let plain = |text: &str| text.to_ascii_lowercase().trim_end_matches('.').to_owned();
    let (rule, host) = (plain(rule), plain(host));
    match rule.strip_prefix('*') {
        Some(ending) => host.ends_with(ending) && host.len() > ending.len(),
        None => rule == host,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn nothing_is_allowed_that_a_simple_matcher_refuses(
        rule in r"(\*\.)?[abAB-]{1,2}(\.[abAB1-]{1,2}){0,2}\.?",
        host in r"([abAB-]{1,4}\.){0,3}[abAB1-]{1,4}\.{0,2}",
        port in prop::sample::select(vec![80_u16, 443, 8080]),
    ) {
        if let (Some(rule_read), Some(host_read)) = (HostRule::read(&rule), Host::read(&host)) {
            let allowed = rule_read.allows(&host_read, port);
            prop_assert!(!allowed || (reference(&rule, &host) && port != 8080), "{rule} {host}");
        }
    }

    #[test]
    fn two_rules_overlap_where_there_is_a_host_that_both_list(
        one in r"(\*\.)?[ab](\.[ab]){0,2}(:[89])?", other in r"(\*\.)?[ab](\.[ab]){0,2}(:[89])?",
    ) {
        let read = |rule: &str| HostRule::read(rule).unwrap();
        let host_of = |rule: &str| rule.split(':').next().unwrap().replace('*', "a");
        let both = |host: &str| [&one, &other].iter().all(|rule| reference(rule.split(':').next().unwrap(), host));
        // If there is one, it is the shortest of one of the two.
        let there_is = both(&host_of(&one)) || both(&host_of(&other));
        prop_assert!(read(&one).overlaps(&read(&other)) == there_is, "{one} {other}");
        prop_assert!(read(&other).overlaps(&read(&one)) == there_is, "{one} {other}");
    }

    #[test]
    fn reading_never_panics_and_gives_one_spelling(text in any::<String>(), odd in r"[a-b0-9x.:\[\]%@*/ é-]{0,12}") {
        for text in [text, odd] {
            HostRule::read(&text);
            if let Some(host) = Host::read(&text) {
                prop_assert!(Host::read(&host.to_string()) == Some(host.clone()), "{text:?} → {host}");
            }
        }
    }
}
