//! Traces, as a collector gets them.

use std::collections::BTreeMap;
use std::sync::Arc;

use sandbox::CancellationToken;
use serde_json::{Value, json};
use server::traces;
use store::testing::TestDatabase;

use super::asking::{ADD, Asker};
use crate::engine::script::{Stage, raised};
use crate::http_client::servers::{Connection, Server, answer};
use crate::http_client::tls::Authority;

/// Stands in for a collector: takes requests and passes on the spans it finds in them.
struct Collector {
    url: String,
    spans: tokio::sync::mpsc::UnboundedReceiver<Value>,
    _server: Server,
}

impl Collector {
    async fn start() -> Collector {
        Collector::start_with(None).await
    }

    /// One that speaks TLS, if it is told how.
    async fn start_with(tls: Option<Arc<rustls::ServerConfig>>) -> Collector {
        let (sender, spans) = tokio::sync::mpsc::unbounded_channel();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let server = Server::start_with(tls, async move |mut connection: Connection| {
            while let Some(request) = connection.try_request().await {
                assert_eq!(request.line, "POST /v1/traces HTTP/1.1");
                connection.write(&answer("{}")).await;
                let told: Value = serde_json::from_slice(&request.body).unwrap();
                for span in told["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap() {
                    sender.send(span.clone()).unwrap();
                }
            }
        })
        .await;
        Collector { url: format!("{scheme}://localhost:{}", server.address.port()), spans, _server: server }
    }

    /// So many spans, by name.
    async fn next(&mut self, count: usize) -> BTreeMap<String, Value> {
        let mut found = BTreeMap::new();
        while found.len() < count {
            let span = self.spans.recv().await.unwrap();
            assert!(span["startTimeUnixNano"].as_str().unwrap() <= span["endTimeUnixNano"].as_str().unwrap());
            found.insert(span["name"].as_str().unwrap().to_owned(), span);
        }
        found
    }
}

/// Runs that end from now on are told of when the exporter is awaited.
fn exporter(
    stage: &Stage,
    collector: &Collector,
    stop: &CancellationToken,
) -> impl Future<Output = ()> + Send + use<> {
    traces::export(stage.ctx.clone(), collector.url.parse().unwrap(), stop.clone())
}

store::on_both! {
    async fn a_run_with_what_it_did_is_one_trace(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[ADD]).await;
        stage.register("@selfmade.function(brain=\"read\")\ndef outer():\n    pass\n").await;
        stage.script.part("add", |_, _| async { Err(raised("ValueError", "hunter2")) });
        stage.script.part("outer", |_, asking| async move {
            let _ = asking.verb("run", vec!["add".into(), 1.into(), 2.into()]).await;
            Ok(1.into())
        });
        let mut collector = Collector::start().await;
        let stop = CancellationToken::new();
        let exporter = exporter(&stage, &collector, &stop);
        let asker = Asker::of(&stage).await;
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let header = format!("00-{trace}-00f067aa0ba902b7-01");
        let body = json!({ "function": "outer" });
        let answer = asker.ask("POST", "/api/v1/runs", &[("traceparent", &header)], Some(body)).await;
        assert_eq!(answer.json["state"], "succeeded", "{}", answer.json);
        let exporter = tokio::spawn(exporter);
        let found = collector.next(3).await;
        let (outer, step, inner) = (&found["run outer"], &found["step run"], &found["run add"]);
        assert!([outer, step, inner].iter().all(|span| span["traceId"] == trace), "{found:?}");
        assert_eq!(outer["parentSpanId"], "00f067aa0ba902b7");
        assert_eq!((&step["parentSpanId"], &inner["parentSpanId"]), (&outer["spanId"], &step["spanId"]));
        assert_eq!((&outer["status"], &inner["status"]["message"]), (&json!({}), &"ValueError".into()));
        assert!(!format!("{found:?}").contains("hunter2"), "no message, no input");
        stop.cancel();
        exporter.await.unwrap();
        stage.close().await;
    }

    async fn a_run_without_anything_around_it_is_a_trace_of_its_own(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[ADD]).await;
        stage.script.part("add", |_, _| async { Ok(3.into()) });
        let mut collector = Collector::start().await;
        let stop = CancellationToken::new();
        let exporter = exporter(&stage, &collector, &stop);
        let run = stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap();
        // What is left when the server stops is told, too.
        stop.cancel();
        exporter.await;
        let found = collector.next(1).await;
        let span = &found["run add"];
        assert_eq!(span["traceId"], run.run_id.0.simple().to_string());
        assert_eq!(span["parentSpanId"], Value::Null);
        stage.close().await;
    }

    async fn a_collector_is_reached_over_tls_where_its_authority_is_trusted(database: &TestDatabase) {
        let authority = Authority::new();
        let mut collector = Collector::start_with(Some(authority.server_config("localhost"))).await;
        let stage = Stage::configured(database, |config| config.http_client = authority.client_config()).await;
        stage.add(&[ADD]).await;
        stage.script.part("add", |_, _| async { Ok(3.into()) });
        let stop = CancellationToken::new();
        let exporter = exporter(&stage, &collector, &stop);
        stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap();
        stop.cancel();
        exporter.await;
        assert!(collector.next(1).await.contains_key("run add"));
        stage.close().await;
    }
}
