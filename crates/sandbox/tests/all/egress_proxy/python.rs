use selfmade_sandbox::egress::{Egress, EgressPolicy, SealedSecret, SecretText, proxy_variables};

use super::world::{World, policy};

const PROGRAM: &str = r#"
import ssl, sys, urllib.request, urllib.error
plain, tunnelled, sealed, refused = sys.argv[1:]
for url in (plain, tunnelled):
    print(urllib.request.urlopen(url, timeout=20).status)
ask = urllib.request.Request(sealed, headers={"Authorization": "Bearer placeholder-of-key"})
# The default from Python 3.13 on.
strict = ssl.create_default_context()
strict.verify_flags |= ssl.VERIFY_X509_STRICT
print(urllib.request.urlopen(ask, timeout=20, context=strict).headers["x-echo"])
try:
    urllib.request.urlopen(refused, timeout=20)
except OSError as error:
    print(error)
"#;

#[tokio::test]
async fn urllib_works_through_the_proxy_with_the_variables_alone() {
    let world = World::new();
    let (http, https) = (world.http_server().await, world.https_server(&["api.test", "sealed.test"]).await);
    let hosts = [format!("api.test:{}", http.port), format!("*.test:{}", https.port)];
    let secret = SealedSecret {
        placeholder: "placeholder-of-key".to_owned(),
        value: SecretText::new("the real key".to_owned()),
        hosts: vec![format!("sealed.test:{}", https.port)],
    };
    let way = world.serve(&EgressPolicy { secrets: vec![secret], ..policy(&hosts) });
    let bundle = world.folder.path().join("bundle.pem");
    std::fs::write(&bundle, world.proxy.ca_bundle_pem()).unwrap();
    let output = tokio::process::Command::new("python3")
        .args(["-I", "-c", PROGRAM])
        .arg(format!("http://api.test:{}/", http.port))
        .arg(format!("https://api.test:{}/", https.port))
        .arg(format!("https://sealed.test:{}/", https.port))
        .arg("https://elsewhere.test/")
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .envs(proxy_variables(way.at.port(), bundle.to_str().unwrap()))
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&output.stderr).into_owned();
    let start = "200\n200\nBearer placeholder-of-key\n";
    assert!(said.starts_with(start), "{said}{wrong}");
    assert!(said.contains("host `elsewhere.test` is not listed"), "{said}{wrong}");
    assert!(
        https.seen().iter().any(|seen| seen.contains("authorization: Bearer the real key\n")),
        "{:?}",
        https.seen()
    );
}
