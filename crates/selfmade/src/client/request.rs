//! One request, put together piece by piece.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, header};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::address::{encoded, path};
use super::{Brain, Events, decoded};
use crate::error::Error;

/// A request that has not been sent.
pub(super) struct RequestBuilder<'a> {
    brain: &'a Brain,
    path: String,
    query: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Result<Option<Vec<u8>>, Error>,
}

impl Brain {
    /// About the resource at this path.
    pub(super) fn at(&self, segments: &[&str]) -> RequestBuilder<'_> {
        RequestBuilder {
            brain: self,
            path: path(segments),
            query: String::new(),
            headers: Vec::new(),
            body: Ok(None),
        }
    }
}

impl<'a> RequestBuilder<'a> {
    #[allow(clippy::needless_pass_by_value, reason = "numbers, names and texts are handed over alike")]
    pub(super) fn query(mut self, name: &str, value: impl ToString) -> Self {
        let mark = if self.query.is_empty() { '?' } else { '&' };
        self.query.push_str(&format!("{mark}{name}={}", encoded(&value.to_string())));
        self
    }

    /// A parameter, if it is given.
    pub(super) fn maybe(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    pub(super) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(super) fn json(mut self, body: &impl Serialize) -> Self {
        self.body = serde_json::to_vec(body).map(Some).map_err(|source| Error::Json { source });
        self.header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
    }

    /// JSON that is written already, or is to be refused by whoever reads it.
    pub(super) fn bytes(mut self, body: Vec<u8>) -> Self {
        self.body = Ok(Some(body));
        self.header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
    }

    /// An answer that is not JSON.
    pub(super) async fn get_text(self) -> Result<String, Error> {
        let brain = self.brain;
        let response = brain.send(self.built(Method::GET)?, false).await?;
        decoded::text(brain, response).await
    }

    pub(super) async fn get<T: DeserializeOwned>(self) -> Result<T, Error> {
        self.answered(Method::GET).await
    }

    pub(super) async fn post<T: DeserializeOwned>(self) -> Result<T, Error> {
        self.answered(Method::POST).await
    }

    pub(super) async fn put<T: DeserializeOwned>(self) -> Result<T, Error> {
        self.answered(Method::PUT).await
    }

    pub(super) async fn patch<T: DeserializeOwned>(self) -> Result<T, Error> {
        self.answered(Method::PATCH).await
    }

    pub(super) async fn delete<T: DeserializeOwned>(self) -> Result<T, Error> {
        self.answered(Method::DELETE).await
    }

    async fn answered<T: DeserializeOwned>(self, method: Method) -> Result<T, Error> {
        let brain = self.brain;
        let response = brain.send(self.built(method)?, false).await?;
        decoded::answer(brain, response).await
    }

    /// The answer as it comes.
    pub(super) async fn events(self, method: Method) -> Result<Events<'a>, Error> {
        let brain = self.brain;
        let asked = self.header(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        let response = brain.send(asked.built(method)?, true).await?;
        Ok(Events::of(brain, decoded::success(brain, response).await?))
    }

    fn built(self, method: Method) -> Result<Request<Body>, Error> {
        let body = self.body?.map_or_else(Body::empty, Body::from);
        let mut request = Request::new(body);
        *request.method_mut() = method;
        // What `encoded` leaves is always an address.
        *request.uri_mut() = format!("{}{}", self.path, self.query).parse().unwrap_or_default();
        request.headers_mut().extend(self.headers);
        Ok(request)
    }
}
