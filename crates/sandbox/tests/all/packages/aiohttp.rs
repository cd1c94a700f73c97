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
