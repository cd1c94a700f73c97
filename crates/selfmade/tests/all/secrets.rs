//! `selfmade secret …`.

use crate::command::{Place, assert_shows};

#[test]
fn a_secret_is_stored_listed_and_deleted_but_never_shown() {
    let place = Place::new();
    assert_shows!(place.run_with(&["secret", "set", "api_key"], b"hunter2\n"), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    secret `api_key` is stored, encrypted
    ");
    assert_shows!(place.run(&["secret", "list"]), @"
    exit: 0
    --- stdout
    NAME     SEALED FOR  UPDATED               WHO
    api_key              [time--------------]  command_line
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["secret", "list", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "secrets": [
        {
          "secret_id": "[id]",
          "name": "api_key",
          "hosts": [],
          "created_at": "[time]",
          "updated_at": "[time]",
          "updated_by": "command_line"
        }
      ]
    }
    --- stderr
    "#);
    assert_shows!(place.run(&["secret", "rm", "api_key"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    secret `api_key` is deleted
    ");
    assert_shows!(place.run(&["secret", "rm", "api_key", "--json"]), @r#"
    exit: 4
    --- stdout
    --- stderr
    {
      "error": {
        "code": "not_found",
        "message": "there is no secret named `api_key`",
        "hint": "`selfmade secret list` lists them",
        "details": {}
      }
    }
    "#);
    assert_shows!(place.run(&["secret", "list"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    there are none
    ");
    let database = std::fs::read(place.path("home/brain.db")).unwrap();
    assert!(!database.windows(7).any(|bytes| bytes == b"hunter2"));
}

#[test]
fn a_value_can_come_from_a_file() {
    let place = Place::new();
    place.file("key.pem", "-----BEGIN");
    assert_shows!(place.run(&["secret", "set", "tls", "--value-file", "key.pem", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "name": "tls"
    }
    --- stderr
    "#);
    assert_shows!(place.run(&["secret", "set", "tls", "--value-file", "missing.pem"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: cannot read `missing.pem`
      caused by: No such file or directory (os error 2)
    hint: check the name and the current folder
    ");
}

#[test]
fn a_bad_name_or_value_is_refused() {
    let place = Place::new();
    let before = place.brain();
    assert_shows!(place.run_with(&["secret", "set", "api-key"], b"x"), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `api-key` is not a valid name for a secret; use a Python identifier such as `openai_api_key`
    ");
    assert_shows!(place.run_with(&["secret", "set", "api_key"], b"\n"), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the value of secret `api_key` is empty; nothing was stored
    ");
    assert_shows!(place.run_with(&["secret", "set", "api_key"], b"abc\n"), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the value of secret `api_key` has 3 bytes; a value of fewer than 4 cannot be redacted from what functions print; choose a longer one
    ");
    assert_shows!(place.run_with(&["secret", "set", "api_key"], &[b'x'; 70_000]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the value of secret `api_key` has 70000 bytes; the limit is 65536
    ");
    assert_eq!(place.brain(), before);
}

#[test]
fn a_value_on_the_command_line_is_wrong_usage() {
    assert_shows!(Place::new().run(&["secret", "set", "api_key", "hunter2"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: unexpected argument 'hunter2' found

    Usage: selfmade secret set [OPTIONS] <NAME>

    For more information, try '--help'.
    ");
}

#[test]
fn a_wrong_lost_or_exposed_key_is_refused_and_changes_nothing() {
    let mut place = Place::new();
    place.run_with(&["secret", "set", "one"], b"first");
    let before = place.brain();
    let key = place.read("home/secrets.key");

    place.file("home/secrets.key", "0".repeat(64));
    assert_shows!(place.run_with(&["secret", "set", "two"], b"second"), @"
    exit: 6
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the secrets key does not decrypt the stored secrets; give the key this brain was created with, in `secrets.key` or `SELFMADE_SECRETS_KEY`
    ");
    std::fs::remove_file(place.path("home/secrets.key")).unwrap();
    assert_shows!(place.run_with(&["secret", "set", "two"], b"second"), @"
    exit: 6
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there are secrets, but no key: `[folder]/home/secrets.key` is missing; put it back, or give it in `SELFMADE_SECRETS_KEY`
    ");
    place.set("SELFMADE_SECRETS_KEY", "nonsense");
    assert_shows!(place.run_with(&["secret", "set", "two"], b"second"), @"
    exit: 6
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the secrets key is not 64 hexadecimal digits; take it from `secrets.key` of the data folder it belongs to
    ");
    assert_eq!(place.brain(), before);

    place.set("SELFMADE_SECRETS_KEY", &key);
    assert_shows!(place.run_with(&["secret", "set", "two"], b"second"), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    secret `two` is stored, encrypted
    ");
}

#[test]
#[cfg(unix)]
fn a_key_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.run_with(&["secret", "set", "one"], b"first");
    let key = place.path("home/secrets.key");
    std::fs::set_permissions(key, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_shows!(place.run_with(&["secret", "set", "two"], b"second"), @"
    exit: 6
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the secrets key `[folder]/home/secrets.key` can be read by others (mode 644); make it readable only by you with `chmod 600`
    ");
}
