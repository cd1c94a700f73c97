use super::client::works_through_the_proxy;
use super::environment;

const SOURCE: &str = "
import httpx

def f(plain, tunnelled, sealed, refused):
    import selfmade
    with httpx.Client(timeout=20) as client:
        statuses = [client.get(url).status_code for url in (plain, tunnelled)]
        echo = client.get(sealed, headers={'Authorization': f'Bearer {selfmade.secrets.KEY}'}).text
        try:
            client.get(refused)
        except httpx.TransportError as error:
            return [*statuses, echo, str(error)]
";

const ASYNC: &str = "
import httpx

async def f(plain, tunnelled, sealed, refused):
    import asyncio, selfmade
    async with httpx.AsyncClient(timeout=20) as client:
        first, second = await asyncio.gather(client.get(plain), client.get(tunnelled))
        third = await client.get(sealed, headers={'Authorization': f'Bearer {selfmade.secrets.KEY}'})
        try:
            await client.get(refused)
        except httpx.TransportError as error:
            return [first.status_code, second.status_code, third.text, str(error)]
";

#[tokio::test]
async fn httpx_works_through_the_proxy() {
    works_through_the_proxy(environment(&["httpx"]).await, SOURCE).await;
}

#[tokio::test]
async fn httpx_works_through_the_proxy_asynchronously() {
    works_through_the_proxy(environment(&["httpx", "asyncio"]).await, ASYNC).await;
}
