//! Requests, by route, method and status. Routes are those that are declared; whatever else is asked for counts as none, and methods
//! that no route has as others. So nobody can make more series by asking for more.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::histogram::Histogram;
use super::text::Text;

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const COUNT: &str = "selfmade_http_requests_total";
const SECONDS: &str = "selfmade_http_request_seconds";

#[derive(Debug, Default)]
pub(crate) struct Requests(Mutex<HashMap<String, Route>>);

#[derive(Debug, Default)]
struct Route {
    counts: BTreeMap<(&'static str, u16), u64>,
    seconds: Histogram,
}

impl Requests {
    pub(crate) fn answered(&self, method: &str, route: &str, status: u16, took: Duration) {
        let method = METHODS.into_iter().find(|known| *known == method).unwrap_or("other");
        let mut routes = self.lock();
        // The name of a route is copied only the first time.
        let known = match routes.get_mut(route) {
            Some(known) => known,
            None => routes.entry(route.to_owned()).or_default(),
        };
        *known.counts.entry((method, status)).or_default() += 1;
        known.seconds.observe(took);
    }

    pub(super) fn write_to(&self, text: &mut Text) {
        let routes = self.lock();
        let sorted: BTreeMap<&String, &Route> = routes.iter().collect();
        text.head(COUNT, "counter", "Answered requests, by route, method and status");
        for (name, route) in &sorted {
            for ((method, status), count) in &route.counts {
                let status = status.to_string();
                text.count(COUNT, &[("route", name), ("method", method), ("status", &status)], *count);
            }
        }
        text.head(SECONDS, "histogram", "From the head of a request to the head of its response");
        for (name, route) in &sorted {
            route.seconds.write_to(text, SECONDS, &[("route", name)]);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Route>> {
        // Counts are whole between any two additions.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
