//! The way out as it is in the cell: what a job with one finds there, and that nothing of it is left for a job without.

use selfmade_sandbox::{Isolation, Job, Sandbox};
use serde_json::json;

use super::world::{World, policy};
use crate::support::{self, returned};

/// How often it ran here, and what it got from there.
const FETCH: &str = "
n = 0

def f(url):
    import urllib.request
    global n
    n += 1
    return [n, urllib.request.urlopen(url, timeout=20).status]
";

/// How often it ran here, and what it finds of a way out.
const LOOK: &str = "
n = 0

def f(url):
    import os, socket
    global n
    n += 1
    found = sorted(name for name in os.environ if name.upper().endswith(('PROXY', 'BUNDLE', 'CERTS', 'FILE')))
    try:
        socket.create_connection(('127.0.0.1', 3128))
    except OSError:
        found.append('no way out')
    return [n, found]
";

async fn cells(world: &World) -> support::World {
    let mut cells = support::World::new().await;
    cells.sandbox = Sandbox::start_with(support::config(), Some(world.proxy.clone())).await.unwrap();
    cells
}

fn job(cells: &support::World, source: &str, url: &str, hosts: &[String]) -> Job {
    let mut job = cells.job(source, json!({ "url": url }));
    job.egress = (!hosts.is_empty()).then(|| policy(hosts));
    job
}

#[tokio::test]
async fn a_warm_cell_gets_out_again_by_the_policy_of_each_job() {
    let world = World::new();
    let server = world.http_server().await;
    let cells = cells(&world).await;
    let listed = [format!("api.test:{}", server.port)];
    let url = format!("http://{}/", listed[0]);
    for expected in [1, 2, 3] {
        let mut job = job(&cells, FETCH, &url, &listed);
        job.isolation = Isolation::Warm { key: "a".to_owned() };
        assert_eq!(returned(cells.run(&job).await.ending), json!([expected, 200]));
    }
    let mut job = job(&cells, FETCH, &url, &["other.test".to_owned()]);
    job.isolation = Isolation::Warm { key: "a".to_owned() };
    let told = format!("{:?}", cells.run(&job).await.ending);
    assert!(told.contains("HTTPError") && told.contains("host `api.test` is not listed"), "{told}");
}

#[tokio::test]
async fn a_warm_job_without_a_policy_finds_nothing_of_the_way_out_of_the_last() {
    let world = World::new();
    let server = world.http_server().await;
    let cells = cells(&world).await;
    let listed = [format!("api.test:{}", server.port)];
    let warm = |source: &str, hosts: &[String]| {
        let mut job = job(&cells, source, &format!("http://{}/", listed[0]), hosts);
        job.isolation = Isolation::Warm { key: "a".to_owned() };
        job
    };
    for expected in [1, 2] {
        let fetched = returned(cells.run(&warm(FETCH, &listed)).await.ending);
        assert_eq!(fetched, json!([expected, 200]));
        let looked = returned(cells.run(&warm(LOOK, &[])).await.ending);
        assert_eq!(looked, json!([expected, ["no way out"]]));
    }
}

#[tokio::test]
async fn the_certificates_are_there_for_reading_only() {
    let world = World::new();
    let cells = cells(&world).await;
    let source = "
def f(url):
    import os, ssl
    path = os.environ['SSL_CERT_FILE']
    try:
        open(path, 'a')
    except OSError as error:
        return [len(open(path).read()), type(error).__name__, len(ssl.create_default_context().get_ca_certs()) > 50]
";
    use selfmade_sandbox::Egress;
    let size = world.proxy.ca_bundle_pem().len();
    let told = returned(cells.run(&job(&cells, source, "", &["api.test".to_owned()])).await.ending);
    assert_eq!(told[0], json!(size));
    assert!(told[1] == "PermissionError" || told[1] == "OSError", "{told}");
    assert_eq!(told[2], json!(true));
}

#[tokio::test]
async fn a_sandbox_without_a_way_out_has_no_certificates() {
    let cells = support::World::new().await;
    let source = "def f():\n    import os\n    return os.path.exists('/etc/ssl/certs/ca-certificates.crt')";
    assert_eq!(cells.returned(source).await, json!(false));
}
