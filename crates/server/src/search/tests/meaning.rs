use crate::search::meaning::{Role, alike, roles};

use super::World;

fn asking(query: &str) -> Vec<&str> {
    let words: Vec<&str> = query.split(' ').collect();
    let asks = roles(&words);
    words.into_iter().zip(asks).filter(|(_, role)| role.asks).map(|(word, _)| word).collect()
}

#[test]
fn words_that_ask_are_distinguished_from_what_they_ask_for() {
    assert_eq!(asking("how do i resize an image"), ["how", "do", "i", "an"]);
    assert_eq!(asking("what is my weather"), ["what", "is", "my"]);
    assert_eq!(asking("weather forecast"), [""; 0]);
}

#[test]
fn a_query_that_only_asks_may_be_a_name() {
    assert_eq!(asking("what is"), [""; 0]);
    assert_eq!(World::with(&[("what_is", ""), ("other", "")]).names("what"), ["what_is"]);
}

#[test]
fn a_phrase_stands_for_what_it_asks_for() {
    let found = roles(&["how", "many", "words"]);
    assert_eq!(found[1], Role { asks: true, stands_for: vec!["count"] });
    assert_eq!(found[2], Role::default());
}

#[test]
fn a_question_finds_what_it_asks_for_before_what_repeats_its_words() {
    let world = World::with(&[
        ("summarise_lines", "Sum up how many lines a set of files has"),
        ("line_count", "Count the lines of a file"),
        ("cut_lines", "Cut a file after a number of lines"),
    ]);
    assert_eq!(world.first("how many lines"), "line_count");
    assert_eq!(world.first("how many lines does this file have?"), "line_count");
}

#[test]
fn another_word_for_the_same_thing_is_found_but_after_the_word_itself() {
    let world = World::with(&[
        ("remove_user", "Take a user off the list"),
        ("delete_user", "Take a user off the list"),
        ("send_letter", "Bring a letter on its way"),
    ]);
    assert_eq!(world.names("delete user"), ["delete_user", "remove_user"]);
    assert_eq!(world.names("erase user").len(), 2);
    assert_eq!(world.first("post a letter"), "send_letter");
}

#[test]
fn words_are_alike_both_ways_and_by_their_stems() {
    assert!(alike("delet").contains(&"remove") && alike("remov").contains(&"delete"));
    assert!(alike("count").contains(&"number") && !alike("count").contains(&"count"));
    assert!(alike("zebra").is_empty());
}
