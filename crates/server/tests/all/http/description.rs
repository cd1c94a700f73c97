//! The description of the API: checked in, so that every change of it is seen.

use std::path::Path;

#[test]
fn the_checked_in_description_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let now = serde_json::to_string_pretty(server::http::document()).unwrap() + "\n";
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    if now != checked_in {
        let made = path.with_extension("json.new");
        std::fs::write(&made, now).unwrap();
        panic!(
            "docs/openapi.json is not what the code says; look at docs/openapi.json.new and move it there"
        );
    }
}

#[test]
fn every_route_says_what_it_answers() {
    let document = serde_json::to_value(server::http::document()).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let answers = operation["responses"].as_object().unwrap();
            assert!(answers.keys().any(|status| status.starts_with('2')), "{method} {path}");
            assert!(operation["summary"].is_string(), "{method} {path} has no summary");
        }
    }
}

#[test]
fn everything_it_refers_to_is_in_it() {
    const TO: &str = "#/components/schemas/";
    let document = serde_json::to_value(server::http::document()).unwrap();
    let text = document.to_string();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let referred = text.split(TO).skip(1).map(|rest| rest.split('"').next().unwrap());
    for name in referred {
        assert!(schemas.contains_key(name), "there is no schema `{name}`");
    }
}
