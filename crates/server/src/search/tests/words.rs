use crate::search::words::{Cutter, squash, stemmed};

fn cut(text: &str) -> String {
    let runs = Cutter::new().runs(text);
    let told = runs.iter().map(|run| match run.parts.as_slice() {
        [] => run.whole.clone(),
        parts => format!("{}={}", run.whole, parts.join("+")),
    });
    told.collect::<Vec<_>>().join(" ")
}

fn stems(text: &str) -> String {
    let mut analyzer = stemmed();
    let mut stream = analyzer.token_stream(text);
    let mut words = Vec::new();
    while stream.advance() {
        words.push(stream.token().text.clone());
    }
    words.join(" ")
}

#[test]
fn names_and_prose_are_cut_where_a_reader_would_cut_them() {
    let table = [
        ("fetch_page", "fetch page"),
        ("airtable.create_record", "airtable create record"),
        ("getHTTPResponse_v2", "gethttpresponse=get+http+response v2=v+2"),
        ("HTTPResponse", "httpresponse=http+response"),
        ("HTTP", "http"),
        ("__init__", "init"),
        ("base64Encode", "base64encode=base+64+encode"),
        ("utf8", "utf8=utf+8"),
        ("Page", "page"),
        ("kebab-case/path:x", "kebab case path x"),
        ("don't", "don t"),
        ("Größe café", "grosse cafe"),
        ("cafe\u{301} na\u{308}ive", "cafe naive"),
        ("погода ПогодаСегодня", "погода погодасегодня=погода+сегодня"),
        ("获取网页 page", "获 取 网 页 page"),
        ("ページ", "ペ ー ジ"),
        ("한국어 날씨", "한국어 날씨"),
        ("🦀 () \"\" + - *", ""),
        ("\u{301}", ""),
        ("", ""),
    ];
    for (text, expected) in table {
        assert_eq!(cut(text), expected, "of `{text}`");
    }
}

#[test]
fn inflections_are_one_word() {
    assert_eq!(stems("fetching pages fetched"), "fetch page fetch");
    assert_eq!(stems("Connections connected"), "connect connect");
}

#[test]
fn a_document_is_cut_as_a_query_is() {
    assert_eq!(stems("getHTTPPage_v2"), "gethttppag get http page v2 v 2");
}

#[test]
fn blobs_are_not_words() {
    assert_eq!(stems(&format!("key {} end", "a".repeat(65))), "key end");
}

#[test]
fn spellings_of_one_name_squash_to_the_same() {
    let squashed = |name: &str| squash(&Cutter::new().runs(name));
    for name in ["fetch_page", "fetchPage", "FetchPage", "fetch page", "fetch.page()", "FETCH-PAGE"] {
        assert_eq!(squashed(name), "fetchpage");
    }
}
