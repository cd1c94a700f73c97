//! `selfmade session …`.

use crate::command::Place;
use crate::serving::ask;

#[test]
fn browsers_that_signed_in_are_listed_and_signed_out() {
    let place = Place::new();
    let mut server = place.start(&["serve"]);
    let listening = server.says("listening at");
    let address = listening.rsplit("//").next().unwrap().to_owned();
    server.says("serving");
    assert!(place.run(&["session", "list"]).contains("there are none"));
    let link = place.json(&["sign-in"])["sign_in"].as_str().unwrap().to_owned();
    let path = &link[link.find("/sign-in").unwrap()..];
    let answer =
        ask(&address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"));
    let cookie = answer.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap().to_owned();
    let caller = |cookie: &str| {
        ask(
            &address,
            &format!(
                "GET /api/v1/caller HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
            ),
        )
    };
    assert!(caller(&cookie).starts_with("HTTP/1.1 200"));
    let listed = place.json(&["session", "list"]);
    let name = listed["sessions"][0]["name"].as_str().unwrap().to_owned();
    assert_eq!(listed["sessions"][0]["authority"]["role"], "admin");
    assert!(place.run(&["session", "list"]).contains(&format!("{name}  admin")));
    assert!(place.run(&["session", "rm", &name]).contains(&format!("session `{name}` has ended")));
    assert!(caller(&cookie).starts_with("HTTP/1.1 401"));
    let gone = place.run(&["session", "rm", &name]);
    assert!(
        gone.contains("exit: 4") && gone.contains(&format!("there is no session named `{name}`")),
        "{gone}"
    );
    server.signal("KILL");
    server.ended();
}
