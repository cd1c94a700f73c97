//! Refuses query parameters that the route does not have: a misspelt filter would otherwise be silently ignored. The names
//! come from the route's description.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Operation, ParameterIn};

use super::field_error::did_you_mean;
use crate::http::openapi::document;
use crate::http::problem::Problem;

/// Others choose the address to which they send.
const TAKES_ANY: &str = "/api/v1/hooks/{name}";

type Names = BTreeSet<String>;

/// By path and method.
static KNOWN: LazyLock<BTreeMap<(String, String), Names>> = LazyLock::new(|| {
    let mut known = BTreeMap::new();
    for (path, item) in &document().paths.paths {
        let operations = [
            (Method::GET, &item.get),
            (Method::PUT, &item.put),
            (Method::POST, &item.post),
            (Method::DELETE, &item.delete),
            (Method::PATCH, &item.patch),
        ];
        for (method, operation) in operations {
            if let Some(operation) = operation.as_ref().filter(|_| path != TAKES_ANY) {
                known.insert((path.clone(), method.to_string()), names(operation));
            }
        }
    }
    known
});

fn names(operation: &Operation) -> Names {
    let parameters = operation.parameters.iter().flatten().filter_map(|parameter| match parameter {
        RefOr::T(parameter) => Some(parameter),
        RefOr::Ref(_) => None,
    });
    let of_query = parameters.filter(|parameter| matches!(parameter.parameter_in, ParameterIn::Query));
    of_query.map(|parameter| parameter.name.clone()).collect()
}

pub(crate) async fn check(request: Request, next: Next) -> Response {
    match unknown(&request) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    }
}

fn unknown(request: &Request) -> Option<Problem> {
    let query = request.uri().query().filter(|query| !query.is_empty())?;
    let path = request.extensions().get::<MatchedPath>()?.as_str();
    let known = KNOWN.get(&(path.to_owned(), request.method().to_string()))?;
    let (name, _) = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| !known.contains(&**name))?;
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let message = format!("`{name}` is not a parameter of `{} {path}`", request.method());
    Some(Problem::of("bad_query", message).hint(did_you_mean(&name, &known)))
}
