//! Schedules of graphs.

use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Value, json};
use server::app::schedules::agenda::Agenda;
use store::testing::TestDatabase;

use super::{API, INPUT, STORE, create, detail, ended, graph, id, open};
use crate::engine::script::Stage;
use crate::http::asking::Asker;

async fn count(asker: &Asker, of: &Value) -> usize {
    asker.get(&format!("{API}/graphs/{}/executions", id(of))).await.json.as_array().unwrap().len()
}

/// So many days go by, an hour at a time. Tells at which hours a run of the graph was started.
async fn days_pass(stage: &Stage, asker: &Asker, agenda: &mut Agenda, of: &Value, days: u32) -> Vec<String> {
    let mut started = Vec::new();
    let mut before = count(asker, of).await;
    for _ in 0..days * 24 {
        stage.ctx.clock.advance(Duration::from_secs(3_600));
        agenda.round(&stage.ctx).await.unwrap();
        let now = count(asker, of).await;
        if now > before {
            let runs = asker.get(&format!("{API}/graphs/{}/executions", id(of))).await.json;
            ended(stage, runs[0].as_str().unwrap()).await;
            started.push(stage.ctx.clock.now().strftime("%A %H:%M").to_string());
        }
        before = now;
    }
    started
}

store::on_both! {
    async fn a_schedule_is_added_listed_and_disabled(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let made = create(&asker, graph(&[("x", INPUT, json!({ "name": "x" })), ("a", STORE, json!({ "input": 0 }))], &["x.value -> a.data"])).await;
        let address = format!("{API}/graphs/{}/schedules", id(&made));
        assert_eq!(asker.get(&address).await.json, json!({}));
        let added = asker.post(&format!("{address}?cron=0+0+*+*+*"), json!({ "x": 1 })).await;
        assert_eq!(added.status, StatusCode::OK, "{added:?}");
        let schedule = id(&added.json).to_owned();
        assert_eq!(asker.get(&address).await.json, json!({ &schedule: "0 0 * * *" }));
        stage.work();
        let mut agenda = Agenda::default();
        agenda.round(&stage.ctx).await.unwrap();
        assert_eq!(days_pass(&stage, &asker, &mut agenda, &made, 2).await.len(), 2);
        let disabled = asker.put(&format!("{API}/graphs/schedules/{schedule}"), json!({ "is_enabled": false })).await;
        assert_eq!((disabled.status, &disabled.json), (StatusCode::OK, &json!({ "id": schedule })));
        assert_eq!(asker.get(&address).await.json, json!({}));
        // In AutoGPT a disabled schedule goes on.
        assert_eq!(days_pass(&stage, &asker, &mut agenda, &made, 2).await.len(), 0);
        asker.put(&format!("{API}/graphs/schedules/{schedule}"), json!({ "is_enabled": true })).await;
        assert_eq!(days_pass(&stage, &asker, &mut agenda, &made, 1).await.len(), 1);
        assert_eq!(asker.put(&format!("{API}/graphs/schedules/{}", id(&made)), json!({})).await.status, StatusCode::NOT_FOUND);
        stage.close().await;
    }

    // In AutoGPT it is Tuesday, in the zone of the server, and 7 ends the scheduler for good.
    async fn the_first_day_of_the_week_is_monday_in_the_zone_that_is_given(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let made = create(&asker, graph(&[("a", STORE, json!({ "input": 0 }))], &[])).await;
        let address = format!("{API}/graphs/{}/schedules", id(&made));
        for times in ["cron=0+9+*+*+1&zone=Europe/Berlin", "cron=0+12+*+*+7"] {
            let added = asker.post(&format!("{address}?{times}"), json!({})).await;
            assert_eq!(added.status, StatusCode::OK, "{added:?}");
        }
        stage.work();
        let mut agenda = Agenda::default();
        agenda.round(&stage.ctx).await.unwrap();
        // The first of March 2026 is a Sunday.
        let started = days_pass(&stage, &asker, &mut agenda, &made, 7).await;
        assert_eq!(started, ["Monday 08:00", "Sunday 12:00"]);
        stage.close().await;
    }

    async fn times_that_are_none_are_refused(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let made = create(&asker, graph(&[("x", INPUT, json!({ "name": "x" }))], &[])).await;
        let address = format!("{API}/graphs/{}/schedules", id(&made));
        for (query, told) in [("?cron=0+9+*+*+8", "8"), ("?cron=nonsense", "nonsense"), ("", "`cron` must be given in the query"), ("?cron=@daily&zone=Mars", "`Mars` is not a time zone")] {
            let refused = asker.post(&format!("{address}{query}"), json!({ "x": 1 })).await;
            assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{refused:?}");
            assert!(detail(&refused).1.contains(told), "{refused:?}");
        }
        let input = asker.post(&format!("{address}?cron=@daily"), json!({})).await;
        assert!(input.status.is_client_error() && detail(&input).1.contains("`x`"), "{input:?}");
        assert_eq!(asker.get(&address).await.json, json!({}));
        stage.close().await;
    }
}
