//! The same on PostgreSQL: one walk through what the commands do.

use store::Location;
use store::testing::TestDatabase;

use crate::command::{Place, assert_shows};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_work_on_postgresql() {
    let database = TestDatabase::postgres().await;
    let Location::Postgres(url) = database.location() else { panic!("asked for PostgreSQL") };
    let mut place = Place::new();
    place.set("SELFMADE_DATABASE", url);
    tokio::task::spawn_blocking(move || walk(&place)).await.unwrap();
}

fn walk(place: &Place) {
    place.file("greet.py", "def greet(name: str) -> str:\n    '''Say hello.'''\n    return name\n");
    let added = place.run(&["fn", "add", "greet.py"]);
    assert!(added.contains("added function greet@1"), "{added}");
    assert!(added.contains("PostgreSQL at"), "the database is named: {added}");
    assert!(!place.path("home/brain.db").exists());

    place.file("greet.py", "def greet(name: str) -> str:\n    '''Say hello.'''\n    return name + '.'\n");
    place.data(&["fn", "add", "greet.py", "--propose"]);
    place.data(&["changes", "apply", "2"]);
    assert_shows!(place.data(&["fn", "diff", "greet"]), @"
    --- greet@1
    +++ greet@2
    @@ -4,4 +4,4 @@
     @selfmade.function
     def greet(name: str) -> str:
         '''Say hello.'''
    -    return name
    +    return name + '.'
    ");
    place.data(&["changes", "revert", "r2"]);
    assert_shows!(place.data(&["log"]), @"
    REVISION  CHANGESET  WHEN                  WHO           TITLE
    r3        3          [time--------------]  command_line  revert changeset 2: update greet
    r2        2          [time--------------]  command_line  update greet                      reverted
    r1        1          [time--------------]  command_line  add greet
    ");
    assert_shows!(place.data(&["search", "hello"]), @"
    NAME   KIND      DESCRIPTION
    greet  function  Say hello.
    ");
    assert_shows!(place.data(&["fn", "versions", "greet"]), @"
    VERSION        WRITTEN               WHO           HASH
    2              [time--------------]  command_line  [hash------]
    1        live  [time--------------]  command_line  [hash------]
    ");
    place.run_with(&["secret", "set", "api_key"], b"hunter2");
    assert_shows!(place.data(&["secret", "list"]), @"
    NAME     SEALED FOR  UPDATED               WHO
    api_key              [time--------------]  command_line
    ");
    place.data(&["export", "brain"]);
    place.data(&["fn", "rm", "greet"]);
    assert_shows!(place.data(&["import", "brain"]), @"added function greet@1");
}
