//! `selfmade token …`.

use crate::command::{Place, assert_shows};

#[test]
fn a_token_is_shown_once_listed_and_deleted() {
    let place = Place::new();
    assert_shows!(place.run(&["token", "add", "ci", "--role", "builder", "--only", "web.*", "--only", "greet"]), @"
    exit: 0
    --- stdout
    [token]
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    token `ci` (builder) is valid; it is shown only now
    ");
    assert_shows!(place.run(&["token", "add", "phone", "--expires", "30d", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "text": "[token]",
      "token": {
        "token_id": "[id]",
        "name": "phone",
        "role": "runner",
        "patterns": [],
        "uses": [],
        "grants": [
          "all"
        ],
        "created_at": "[time]",
        "created_by": "command_line",
        "expires_at": "[time]"
      }
    }
    --- stderr
    "#);
    assert_shows!(place.run(&["token", "list"]), @"
    exit: 0
    --- stdout
    NAME   ROLE     ONLY         USES  GRANTS  MADE                  ENDS
    ci     builder  web.* greet  none  none    [time--------------]  never
    phone  runner   all          all   all     [time--------------]  [time--------------]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["token", "list", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "tokens": [
        {
          "token_id": "[id]",
          "name": "ci",
          "role": "builder",
          "patterns": [
            "web.*",
            "greet"
          ],
          "uses": [],
          "grants": [],
          "created_at": "[time]",
          "created_by": "command_line",
          "expires_at": null
        },
        {
          "token_id": "[id]",
          "name": "phone",
          "role": "runner",
          "patterns": [],
          "uses": [],
          "grants": [
            "all"
          ],
          "created_at": "[time]",
          "created_by": "command_line",
          "expires_at": "[time]"
        }
      ]
    }
    --- stderr
    "#);
    assert_shows!(place.run(&["token", "rm", "ci"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    token `ci` is deleted
    ");
    assert_shows!(place.run(&["token", "rm", "ci"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no token named `ci`
    hint: `selfmade token list` lists them
    ");
}

#[test]
fn a_bad_token_is_refused() {
    let place = Place::new();
    place.run(&["token", "add", "ci"]);
    let before = place.brain();
    assert_shows!(place.run(&["token", "add", "ci"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is already a token named `ci`
    ");
    assert_shows!(place.run(&["token", "add", "a b"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `a b` is not a valid name for a token
    hint: use letters, digits, `.`, `-` and `_`; in patterns also `*`
    ");
    assert_shows!(place.run(&["token", "add", "x", "--only", "[a-z]"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `[a-z]` is not a pattern of names
    hint: use letters, digits, `.`, `-` and `_`; in patterns also `*`
    ");
    assert_shows!(place.run(&["token", "add", "x", "--expires", "2001-01-01"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `2001-01-01` has already passed
    hint: write a time from now such as `30d` or `12h`, or a future date such as `2030-01-31`
    ");
    assert_shows!(place.run(&["token", "add", "x", "--role", "king"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: invalid value 'king' for '--role <ROLE>': `king` is not a role; expected `admin`, `builder`, `runner` or `viewer`

    For more information, try '--help'.
    ");
    assert_eq!(place.brain(), before);
}
