//! `selfmade search`.

use crate::command::{Place, assert_shows};

fn place() -> Place {
    let place = Place::new();
    place.add("def split_words(text: str) -> list[str]:\n    '''Split a text into words.'''\n    return text.split()\n");
    place.add("def greet(name: str) -> str:\n    '''Say hello.'''\n    return name\n");
    place
}

#[test]
fn functions_are_found_by_name_and_by_what_they_do() {
    let place = place();
    assert_shows!(place.run(&["search", "words"]), @"
    exit: 0
    --- stdout
    NAME         KIND      DESCRIPTION
    split_words  function  Split a text into words.
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["search", "say", "helo", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "hits": [
        {
          "kind": "function",
          "name": "greet",
          "description": "Say hello.",
          "score": [score]
        }
      ]
    }
    --- stderr
    "#);
    assert_shows!(place.run(&["search", "zebra"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    nothing matches `zebra`
    ");
}

#[test]
fn what_was_just_added_or_deleted_is_known() {
    let place = place();
    place.run(&["search", "greet"]);
    place.run(&["fn", "rm", "greet"]);
    place.add("def wave():\n    '''Wave, to greet.'''\n");
    assert_shows!(place.run(&["search", "greet"]), @"
    exit: 0
    --- stdout
    NAME  KIND      DESCRIPTION
    wave  function  Wave, to greet.
    --- stderr
    brain: [folder]/home (given by --home)
    ");
}

#[test]
fn the_index_is_built_again_when_asked_or_gone() {
    let place = place();
    assert_shows!(place.run(&["search", "--rebuild"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    the search index was rebuilt
    ");
    assert_shows!(place.run(&["search", "--rebuild", "hello"]), @"
    exit: 0
    --- stdout
    NAME   KIND      DESCRIPTION
    greet  function  Say hello.
    --- stderr
    brain: [folder]/home (given by --home)
    the search index was rebuilt
    ");
    std::fs::remove_dir_all(place.path("home/search")).unwrap();
    assert_shows!(place.run(&["search", "hello"]), @"
    exit: 0
    --- stdout
    NAME   KIND      DESCRIPTION
    greet  function  Say hello.
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["search", "--rebuild", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "rebuilt": true
    }
    --- stderr
    "#);
    assert_shows!(place.run(&["search"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: the following required arguments were not provided:
      <WORDS>...

    Usage: selfmade search --home <DIR> <WORDS>...

    For more information, try '--help'.
    ");
}
