//! Which data folder is used, and `selfmade init`.

use crate::command::{Place, assert_shows};

#[test]
fn init_makes_a_brain_that_git_leaves_alone_and_that_folders_below_use() {
    let place = Place::without_home();
    place.file("project/deep/down/file", "");
    assert_shows!(place.run_in("project", &["init"]), @"
    exit: 0
    --- stdout
    [folder]/project/.selfmade
    --- stderr
    created a brain there; commands in that folder and below use it
    ");
    assert_eq!(place.read("project/.selfmade/.gitignore"), "*\n");
    assert_shows!(place.run_in("project", &["init"]), @"
    exit: 0
    --- stdout
    [folder]/project/.selfmade
    --- stderr
    there is already a brain; nothing was changed
    ");
    assert_shows!(place.run_in("project/deep/down", &["fn", "list"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/project/.selfmade (found in a parent folder)
    there are none
    ");
    assert_shows!(place.run_in("project", &["fn", "list"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/project/.selfmade (found in this folder)
    there are none
    ");
}

#[test]
fn init_says_where_it_would_be_and_what_stands_in_the_way() {
    let place = Place::without_home();
    place.file("there/file", "");
    assert_shows!(place.run(&["init", "there", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "home": "[folder]/there/.selfmade",
      "database": "[folder]/there/.selfmade/brain.db",
      "created": true
    }
    --- stderr
    "#);
    assert_shows!(place.run(&["init", "nowhere"]), @"
    exit: 3
    --- stdout
    --- stderr
    error: there is no folder `[folder]/nowhere`
    hint: create it first with `mkdir -p [folder]/nowhere`
    ");
    assert_shows!(place.run(&["init", "there", "--home", "other"]), @"
    exit: 3
    --- stdout
    --- stderr
    error: both `--home` and `there` say where to create the brain
    hint: omit one of them: `--home` is the data folder itself, the other is the folder to create it in
    ");
}

#[test]
fn the_variable_wins_over_the_folder_and_the_option_over_both() {
    let mut place = Place::without_home();
    place.run(&["init"]);
    place.set("SELFMADE_HOME", "elsewhere");
    assert_shows!(place.run(&["fn", "list"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/elsewhere (given by SELFMADE_HOME; created just now)
    there are none
    ");
    assert_shows!(place.run(&["fn", "list", "--home", "given"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/given (given by --home; created just now)
    there are none
    ");
    assert_shows!(place.run(&["init"]), @"
    exit: 0
    --- stdout
    [folder]/.selfmade
    --- stderr
    there is already a brain; nothing was changed
    warning: SELFMADE_HOME is set and takes precedence until it is unset
    ");
}

#[test]
fn a_file_cannot_be_the_data_folder() {
    let place = Place::without_home();
    place.file("file", "");
    assert_shows!(place.run(&["fn", "list", "--home", "file"]), @"
    exit: 6
    --- stdout
    --- stderr
    error: `[folder]/file` is not a folder, so it cannot be the data folder
    hint: choose another folder with `--home DIR` or `SELFMADE_HOME`
    ");
}

#[test]
fn a_misspelt_setting_is_named() {
    let place = Place::new();
    place.file("home/config.toml", "databse = \"x\"\n");
    assert_shows!(place.run(&["fn", "list"]), @"
    exit: 6
    --- stdout
    --- stderr
    error: `[folder]/home/config.toml` has an unknown setting `databse`
    hint: did you mean `database`?
    ");
}

#[test]
#[cfg(unix)]
fn only_the_owner_looks_into_a_new_data_folder() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.run(&["fn", "list"]);
    assert_eq!(std::fs::metadata(place.path("home")).unwrap().permissions().mode() & 0o777, 0o700);
}
