//! A client that looks at the proxy's variables only when told to, and reads certificates while it is loaded.

use super::client::works_through_the_proxy;
use super::environment;

const SOURCE: &str = "
import aiohttp

async def f(plain, tunnelled, sealed, refused):
    import selfmade
    async with aiohttp.ClientSession() as session:
        statuses = []
        for url in (plain, tunnelled):
            async with session.get(url) as answer:
                statuses.append(answer.status)
        async with session.get(sealed, headers={'Authorization': f'Bearer {selfmade.secrets.KEY}'}) as answer:
            echo = await answer.text()
        try:
            await session.get(refused)
        except aiohttp.ClientError as error:
            return [*statuses, echo, str(error)]
";

#[tokio::test]
async fn aiohttp_works_through_the_proxy() {
    works_through_the_proxy(environment(&["aiohttp"]).await, SOURCE).await;
}

#[tokio::test]
async fn aiohttp_that_was_not_preloaded_works_when_told_of_the_environment() {
    let source = SOURCE.replace("ClientSession()", "ClientSession(trust_env=True)");
    works_through_the_proxy(environment(&[]).await, &source).await;
}

#[tokio::test]
async fn two_cells_that_were_forked_after_tls_was_set_up_draw_different_keys() {
    let cells = super::cells(&["aiohttp"]).await;
    let source =
        "def f():\n    import ssl, sys\n    return ['aiohttp' in sys.modules, ssl.RAND_bytes(16).hex()]";
    let (one, other) = (cells.returned(source).await, cells.returned(source).await);
    assert_eq!((&one[0], &other[0]), (&true.into(), &true.into()));
    assert_ne!(one[1], other[1]);
}
