//! Streams: events that can be taken up where they broke off, and a run until it ends.

use axum::http::StatusCode;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::asking::{Asker, open};

/// The events of a stream, read one by one.
pub(crate) struct Stream {
    body: axum::body::Body,
    text: String,
}

impl Stream {
    pub(crate) async fn open(asker: &Asker, path: &str, headers: &[(&str, &str)]) -> Stream {
        let bearer = format!("Bearer {}", asker.token);
        let all = [&[("host", "localhost"), ("authorization", bearer.as_str())], headers].concat();
        let response = asker.knock("GET", path, &all, None).await;
        assert_eq!(response.status(), StatusCode::OK);
        Stream::of(response)
    }

    pub(crate) fn of(response: axum::response::Response) -> Stream {
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Stream { body: response.into_body(), text: String::new() }
    }

    /// The id, the kind and the data of the next one; nothing at the end.
    pub(crate) async fn next(&mut self) -> Option<(String, String, Value)> {
        while !self.text.contains("\n\n") {
            let frame = self.body.frame().await?.unwrap();
            self.text.push_str(std::str::from_utf8(frame.data_ref().unwrap()).unwrap());
        }
        let (event, rest) =
            self.text.split_once("\n\n").map(|(event, rest)| (event.to_owned(), rest.to_owned())).unwrap();
        self.text = rest;
        let field = |name: &str| {
            let line = event.lines().find_map(|line| line.strip_prefix(name));
            line.map(|value| value.trim_start_matches(": ").to_owned()).unwrap_or_default()
        };
        Some((field("id"), field("event"), serde_json::from_str(&field("data")).unwrap_or_default()))
    }
}

store::on_both! {
    async fn events_are_reported_as_they_happen(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let mut stream = Stream::open(&asker, "/api/v1/events?kind=run.*", &[]).await;
        let run = stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap();
        let (_, kind, data) = stream.next().await.unwrap();
        assert_eq!(kind, "run.finished");
        assert_eq!(data["data"]["run_id"], run.run_id.to_string());
        asker.stop.cancel();
        assert_eq!(stream.next().await, None, "it ends with the server");
        stage.close().await;
    }

    async fn a_stream_is_taken_up_without_a_gap_or_a_repeat(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let mut first = Stream::open(&asker, "/api/v1/events?after=0", &[]).await;
        let (seen, kind, _) = first.next().await.unwrap();
        assert_eq!((seen.as_str(), kind.as_str()), ("1", "function.added"));
        drop(first);
        for _ in 0..5 {
            stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap();
        }
        let last = stage.last_event().await;
        let mut again = Stream::open(&asker, "/api/v1/events", &[("last-event-id", "1")]).await;
        for expected in 2..=last {
            assert_eq!(again.next().await.unwrap().0, expected.to_string());
        }
        stage.close().await;
    }

    async fn who_asks_for_what_was_pruned_hears_so_and_goes_on_from_there(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        for _ in 0..5 {
            stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap();
        }
        server::triggers::drain(&stage.ctx).await.unwrap();
        let last = stage.last_event().await;
        let later = stage.ctx.clock.now() + std::time::Duration::from_secs(1);
        assert_eq!(stage.ctx.store.prune_events(later, 4).await.unwrap(), 4);
        let mut stream = Stream::open(&asker, "/api/v1/events?kind=run.*", &[("last-event-id", "2")]).await;
        let (id, kind, data) = stream.next().await.unwrap();
        assert_eq!((id.as_str(), kind.as_str()), ("4", "events.pruned"));
        assert_eq!((&data["kind"], &data["data"]), (&json!("events.pruned"), &json!({ "first": 3, "last": 4 })));
        assert_eq!(stream.next().await.unwrap().0, "5");
        let mut all = Stream::open(&asker, "/api/v1/events?after=0", &[]).await;
        assert_eq!(all.next().await.unwrap().0, "5", "who asks for all gets all there is");
        let mut fresh = Stream::open(&asker, "/api/v1/events", &[("last-event-id", "0")]).await;
        let (_, kind, data) = fresh.next().await.unwrap();
        assert_eq!((kind.as_str(), &data["data"]), ("events.pruned", &json!({ "first": 1, "last": 4 })));
        assert_eq!(fresh.next().await.unwrap().0, "5");
        stage.ctx.store.prune_events(later, 100).await.unwrap();
        let mut behind = Stream::open(&asker, "/api/v1/events", &[("last-event-id", "4")]).await;
        stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap();
        let (id, kind, _) = behind.next().await.unwrap();
        assert_eq!((id, kind.as_str()), (last.to_string(), "events.pruned"));
        assert_eq!(behind.next().await.unwrap().0, (last + 1).to_string());
        stage.close().await;
    }

    async fn a_run_is_followed_until_it_ends(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let run = stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap();
        let mut stream = Stream::open(&asker, &format!("/api/v1/runs/{}/stream", run.run_id), &[]).await;
        let (_, kind, data) = stream.next().await.unwrap();
        assert_eq!((kind.as_str(), &data["state"]), ("state", &json!("succeeded")));
        assert_eq!(stream.next().await, None);
        stage.close().await;
    }
}
