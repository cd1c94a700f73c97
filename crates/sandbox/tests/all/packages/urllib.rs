//! The standard library's own client, in an environment without packages.

use super::client::works_through_the_proxy;
use crate::support::environment;

const SOURCE: &str = "
def f(plain, tunnelled, sealed, refused):
    import selfmade
    from urllib.error import URLError
    from urllib.request import Request, urlopen
    statuses = [urlopen(url, timeout=20).status for url in (plain, tunnelled)]
    ask = Request(sealed, headers={'Authorization': f'Bearer {selfmade.secrets.KEY}'})
    echo = urlopen(ask, timeout=20).read().decode()
    try:
        urlopen(refused, timeout=20)
    except URLError as error:
        return [*statuses, echo, str(error)]
";

#[tokio::test]
async fn urllib_works_through_the_proxy() {
    works_through_the_proxy(environment(), SOURCE).await;
}
