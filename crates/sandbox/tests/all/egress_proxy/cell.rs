use std::sync::Arc;

use selfmade_sandbox::egress::{EgressPolicy, SealedSecret, SecretText};
use selfmade_sandbox::{CancellationToken, Ending, NoHost, Sandbox, Value};
use serde_json::json;

use super::world::{World, policy};
use crate::support;

const SOURCE: &str = "
def f(plain, sealed, refused, bundle):
    import ssl, urllib.request
    status = urllib.request.urlopen(plain, timeout=20).status
    ask = urllib.request.Request(sealed, headers={'Authorization': 'Bearer placeholder-of-key'})
    trusted = ssl.create_default_context(cadata=bundle)
    echo = urllib.request.urlopen(ask, timeout=20, context=trusted).headers['x-echo']
    try:
        urllib.request.urlopen(refused, timeout=20)
    except OSError as error:
        return [status, echo, str(error)]
";

#[tokio::test]
async fn a_function_in_a_cell_gets_out_through_the_proxy_and_its_secret_stays_outside() {
    let world = World::new();
    let (http, https) = (world.http_server().await, world.https_server(&["sealed.test"]).await);
    let sealed = format!("sealed.test:{}", https.port);
    let secret = SealedSecret {
        placeholder: "placeholder-of-key".to_owned(),
        value: SecretText::new("the real key".to_owned()),
        hosts: vec![sealed.clone()],
    };
    let hosts = [format!("api.test:{}", http.port), sealed.clone()];
    let policy = EgressPolicy { secrets: vec![secret], ..policy(&hosts) };
    let input = json!({
        "plain": format!("http://api.test:{}/", http.port),
        "sealed": format!("https://{sealed}/"),
        "refused": "https://elsewhere.test/",
        "bundle": world.proxy.ca_certificate_pem(),
    });
    let mut cells = support::World::new().await;
    let mut job = cells.job(SOURCE, input);
    job.egress = Some(policy);
    cells.sandbox = Sandbox::start_with(support::config(), Some(Arc::new(world.proxy))).await.unwrap();
    let outcome = cells.sandbox.run(&job, Arc::new(NoHost), &CancellationToken::new()).await.unwrap();
    let Ending::Returned(Value::List(told)) = outcome.ending else { panic!("{:?}", outcome.ending) };
    let told = format!("{told:?}");
    assert!(told.contains("200") && told.contains("Bearer placeholder-of-key"), "{told}");
    assert!(told.contains("host `elsewhere.test` is not listed"), "{told}");
    assert!(https.seen()[0].contains("authorization: Bearer the real key\n"), "{:?}", https.seen());
}
