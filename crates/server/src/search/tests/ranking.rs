use super::{Document, World, document};

fn brain() -> World {
    World::with(&[
        ("fetch_page", "Download a web page and return its HTML"),
        ("fetch_page_title", "Download a web page and return its title"),
        ("getHTTPResponse_v2", "Send a request and return status and headers"),
        ("airtable.create_record", "Create a record in an Airtable base"),
        ("airtable.delete_record", "Delete a record from an Airtable base"),
        ("page_fetcher_settings", "Settings of the crawler"),
        ("summarize_text", "Shorten a text to its main points"),
        ("translate_text", "Translate a text into another language"),
        ("current_weather", "Weather at a place, right now"),
        ("weather_forecast", "Weather of the coming days"),
    ])
}

#[test]
fn the_full_name_comes_first_however_it_is_written() {
    for query in
        ["fetch_page", " fetch_page ", "fetchPage", "FETCH_PAGE", "fetch page", "fetchpage", "fetch_page()"]
    {
        assert_eq!(brain().first(query), "fetch_page", "for `{query}`");
    }
    assert_eq!(brain().first("airtable.delete_record"), "airtable.delete_record");
    assert_eq!(brain().first("getHTTPResponse_v2"), "getHTTPResponse_v2");
}

#[test]
fn the_full_name_comes_before_entries_that_say_it_more_often() {
    let world = World::with(&[
        ("run", "Start"),
        ("run_run", "run run run run run"),
        ("run_all", "run every run there is to run"),
    ]);
    assert_eq!(world.first("run"), "run");
}

#[test]
fn of_names_that_differ_by_case_the_one_typed_comes_first() {
    let world = World::with(&[("FetchPage", ""), ("fetchPage", ""), ("fetch_page", "")]);
    assert_eq!(world.names("fetchPage"), ["fetchPage", "FetchPage", "fetch_page"]);
    assert_eq!(world.first("fetch_page"), "fetch_page");
}

#[test]
fn a_word_of_a_name_in_camel_case_finds_it() {
    assert_eq!(brain().first("response"), "getHTTPResponse_v2");
    assert_eq!(brain().first("http"), "getHTTPResponse_v2");
}

#[test]
fn a_run_in_camel_case_is_found_by_the_whole_and_by_its_parts() {
    let world = World::with(&[("star", "Star a GitHub repository"), ("water", "Water the plants")]);
    assert_eq!(world.names("github"), ["star"]);
    assert_eq!(world.names("hub"), ["star"]);
}

#[test]
fn an_inflected_word_is_found() {
    assert_eq!(brain().first("summarizing texts"), "summarize_text");
    assert_eq!(brain().first("translation"), "translate_text");
}

#[test]
fn the_beginning_of_a_word_finds_it() {
    assert!(brain().first("fetc").starts_with("fetch_page"));
    assert_eq!(brain().first("summ"), "summarize_text");
}

#[test]
fn the_beginning_of_a_name_finds_it() {
    assert_eq!(brain().first("page_fet"), "page_fetcher_settings");
    assert_eq!(brain().first("airtable.create_rec"), "airtable.create_record");
    assert_eq!(brain().first("fetchpaget"), "fetch_page_title");
}

#[test]
fn a_piece_from_inside_a_word_finds_the_name() {
    assert_eq!(brain().names("spons"), ["getHTTPResponse_v2"]);
    assert_eq!(brain().names("recast"), ["weather_forecast"]);
}

#[test]
fn one_slip_in_a_word_of_four_letters_is_forgiven() {
    for query in ["fetcg", "fetchh", "ftech", "fech", "fetch_paeg"] {
        assert!(brain().first(query).starts_with("fetch_page"), "for `{query}`");
    }
}

#[test]
fn two_slips_are_forgiven_in_a_word_of_eight_letters_only() {
    assert_eq!(brain().first("sumarrize"), "summarize_text");
    assert_eq!(brain().first("trnaslaet"), "translate_text");
    assert!(brain().names("fxxch").is_empty());
}

#[test]
fn a_slip_in_a_word_that_only_descriptions_have_is_forgiven() {
    assert!(brain().names("crwaler").contains(&"page_fetcher_settings".to_owned()));
}

#[test]
fn the_word_itself_comes_before_words_like_it() {
    let world = World::with(&[("sort_carts", "Sort"), ("sort_cards", "Sort"), ("sort_cars", "Sort")]);
    assert_eq!(world.first("cards"), "sort_cards");
    assert_eq!(world.first("carts"), "sort_carts");
    let world = World::with(&[("cat_food", ""), ("cat", ""), ("catalogue_entry", ""), ("category", "")]);
    assert_eq!(world.names("cat")[..2], ["cat", "cat_food"]);
}

#[test]
fn the_word_itself_in_a_body_comes_before_a_slip_of_it_in_a_name() {
    let mut told = document("archive_hand", "Keep");
    told.docstring = "One of the cards.".to_owned();
    let world = World::holding(vec![told, document("archive_carts", "Keep")]);
    assert_eq!(world.names("cards"), ["archive_hand", "archive_carts"]);
}

#[test]
fn a_name_tells_more_than_a_description_and_that_more_than_the_rest() {
    let mut in_body = document("alpha", "Nothing of note");
    in_body.docstring = "Invoice".to_owned();
    let world = World::holding(vec![
        in_body,
        document("beta", "Invoice of note"),
        document("invoice_gamma", "Nothing of note"),
    ]);
    assert_eq!(world.names("invoice"), ["invoice_gamma", "beta", "alpha"]);
}

#[test]
fn docstring_examples_parameters_and_further_text_are_searched() {
    let world = World::holding(vec![Document {
        docstring: "two".to_owned(),
        examples: vec!["f(three=3)".to_owned()],
        parameters: vec!["four_fives".to_owned()],
        text: vec!["six".to_owned()],
        ..document("f", "one")
    }]);
    for query in ["one", "two", "three", "four", "fives", "six"] {
        assert_eq!(world.names(query), ["f"], "for `{query}`");
    }
}

#[test]
fn not_all_words_need_match_but_more_matches_rank_higher() {
    assert_eq!(brain().first("please translate my text quickly"), "translate_text");
    let world = World::with(&[
        ("a", "weather weather weather"),
        ("b", "weather of the coming week"),
        ("c", "mail of the coming week"),
        ("d", "weather sent by mail"),
    ]);
    assert_eq!(world.names("weather mail")[0], "d");
    assert_eq!(world.names("weather mail").len(), 4);
}

#[test]
fn two_words_in_a_description_come_before_one_in_name_and_description() {
    let weather = document("weather_report", "The weather of the day as a short text");
    let both = document("morning_letter", "Sends the weather by mail to all who asked for it");
    let other = |n| {
        if n == 0 { "Sends a letter by mail to one who asked" } else { "Keeps a letter for one who asked" }
    };
    let others = (0..20).map(|n| document(&format!("other_{n}"), other(n)));
    let world = World::holding([weather, both].into_iter().chain(others).collect());
    assert_eq!(world.names("weather mail")[..2], ["morning_letter", "weather_report"]);
}

#[test]
fn in_a_large_brain_words_that_most_descriptions_have_do_not_get_in_the_way() {
    let crowd = (0..1_500).map(|n| document(&format!("entry_{n:04}"), "returns the value of the entry"));
    let world = World::holding(crowd.chain([document("tide", "returns the height of the sea")]).collect());
    assert_eq!(world.names("what returns the height of the value"), ["tide"]);
    assert_eq!(world.names("returns the value").len(), 10);
}

#[test]
fn a_long_question_finds_what_its_telling_words_say() {
    let question = "how would one go about asking some service on the network, at this place and time, which forecast \
                    of rain or sun or wind there might be for the weather of the next few days in a given town?";
    assert_eq!(brain().first(question), "weather_forecast");
}

#[test]
fn entries_that_fit_equally_come_in_the_order_of_their_names() {
    let entries: Vec<(String, &str)> = (0..200).rev().map(|n| (format!("load_{n:03}"), "same")).collect();
    let entries: Vec<(&str, &str)> = entries.iter().map(|(name, same)| (name.as_str(), *same)).collect();
    let expected: Vec<String> = (0..10).map(|n| format!("load_{n:03}")).collect();
    assert_eq!(World::with(&entries).names("load"), expected);
    assert_eq!(World::with(&entries).names("same"), expected);
}

#[test]
fn signs_of_query_languages_are_just_text() {
    for query in [
        "fetch_page(",
        "\"fetch page",
        "fetch AND page OR",
        "+fetch -page",
        "name:fetch_page^2 ~",
        "fetch* [a TO",
    ] {
        assert!(brain().first(query).starts_with("fetch_page"), "for `{query}`");
    }
}

#[test]
fn a_query_without_letters_or_digits_finds_nothing() {
    for query in ["", "   ", "()", "\"", "🦀🦀", "-_-", "\0", "*"] {
        assert!(brain().names(query).is_empty(), "for `{query}`");
    }
}

#[test]
fn other_languages_are_found() {
    let world = World::with(&[
        ("wetter", "Gibt die Größe der Wolken zurück"),
        ("погода", "Прогноз погоды на завтра"),
        ("tianqi", "获取天气预报"),
        ("nalssi", "오늘의 날씨"),
    ]);
    assert_eq!(world.names("grosse"), ["wetter"]);
    assert_eq!(world.names("Größe"), ["wetter"]);
    assert_eq!(world.names("прогноз"), ["погода"]);
    assert_eq!(world.names("天气"), ["tianqi"]);
    assert_eq!(world.names("날씨"), ["nalssi"]);
}

#[test]
fn a_hit_carries_its_description_and_scores_fall() {
    let hits = brain().index.search("weather", 10).unwrap();
    assert_eq!(hits[0].name, "weather_forecast");
    assert_eq!(hits[0].description, "Weather of the coming days");
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
}

#[test]
fn no_more_hits_come_than_asked_for() {
    let world = brain();
    assert_eq!(world.index.search("page", 1).unwrap().len(), 1);
    assert_eq!(world.index.search("page", 0).unwrap(), []);
    assert_eq!(world.index.search("page", usize::MAX).unwrap().len(), 3);
}

#[test]
fn a_query_of_ten_kilobytes_is_answered_from_its_first_words() {
    let query = format!("fetch page {}", "lorem-ipsum 漢字 x9 ".repeat(600));
    assert!(brain().first(&query).starts_with("fetch_page"));
}
