use super::client::works_through_the_proxy;
use super::environment;

const SOURCE: &str = "
import requests

def f(plain, tunnelled, sealed, refused):
    import selfmade
    with requests.Session() as session:
        statuses = [session.get(url, timeout=20).status_code for url in (plain, tunnelled)]
        bearer = {'Authorization': f'Bearer {selfmade.secrets.KEY}'}
        echo = session.get(sealed, headers=bearer, timeout=20).text
        try:
            session.get(refused, timeout=20)
        except requests.ConnectionError as error:
            return [*statuses, echo, str(error)]
";

#[tokio::test]
async fn requests_works_through_the_proxy() {
    works_through_the_proxy(environment(&["requests"]).await, SOURCE).await;
}
