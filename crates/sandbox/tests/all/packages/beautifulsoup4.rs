use serde_json::json;

use super::cells;
use crate::support::returned;

const PAGE: &str =
    "<html><body><h1>Caf&eacute;s</h1><ul><li class=open><a href='/1'>One</a><li><a href='/2'>Two</a></ul>";

#[tokio::test]
async fn a_page_with_mistakes_is_parsed_and_searched() {
    let cells = cells(&["bs4"]).await;
    let source = "
from bs4 import BeautifulSoup

def f(page):
    soup = BeautifulSoup(page, 'html.parser')
    links = {link.get_text(strip=True): link['href'] for link in soup.select('li a[href]')}
    return [soup.h1.string, links, len(soup.select('li.open'))]
";
    let told = returned(cells.run(&cells.job(source, json!({ "page": PAGE }))).await.ending);
    assert_eq!(told, json!(["Cafés", { "One": "/1", "Two": "/2" }, 1]));
}
