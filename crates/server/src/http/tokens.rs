//! `/tokens`: creates and deletes tokens. The text of one is shown once.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::Timestamp;
use model::access::grantable::Grantable;
use model::access::token::{Token, TokenRole};
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Whole, to};
use super::request::extract::{Json, Path};
use super::state::Door;
use crate::app::tokens::{self, NewToken};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(list, add)).routes(routes!(remove))
}

/// Lists tokens, without their values
#[utoipa::path(get, path = "/tokens", tag = "tokens", responses((status = 200, body = Vec<Token>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageTokens>>,
) -> Result<Body<Vec<Token>>, Problem> {
    Ok(Body(tokens::list(door.ctx(), caller.access()).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TokenBody {
    name: String,
    role: TokenRole,
    /// Patterns of names it may touch, such as `web.*`; all if empty.
    #[serde(default)]
    patterns: Vec<String>,
    /// Patterns of other names that its functions may call.
    #[serde(default)]
    uses: Vec<String>,
    /// What its functions may be granted: `all`, or `secret:NAME`, `host:HOST`, `model`, `brain:read`, `brain:propose`, `files`,
    /// `storage:read`, `storage:write`.
    /// Unless given, everything for a token without patterns, and nothing for one with patterns.
    #[schema(value_type = Option<Vec<String>>)]
    grants: Option<Grantable>,
    expires_at: Option<Timestamp>,
}

/// A Token with its text.
#[derive(Deserialize, Serialize, ToSchema)]
pub struct Made {
    #[serde(flatten)]
    pub token: Token,
    /// Send it as `Authorization: Bearer TEXT`. It cannot be retrieved again.
    pub text: String,
}

/// Creates a token
#[utoipa::path(post, path = "/tokens", tag = "tokens", request_body = TokenBody, responses((status = 201, body = Made), Refused))]
async fn add(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageTokens>>,
    Json(body): Json<TokenBody>,
) -> Result<(StatusCode, Body<Made>), Problem> {
    let new = NewToken {
        name: body.name,
        role: body.role,
        patterns: body.patterns,
        uses: body.uses,
        grants: body.grants,
        expires_at: body.expires_at,
    };
    let (token, text) = tokens::add(door.ctx(), caller.access(), new).await?;
    Ok((StatusCode::CREATED, Body(Made { token, text: text.expose_secret().to_owned() })))
}

/// Deletes a token, which stops working at once
#[utoipa::path(delete, path = "/tokens/{name}", tag = "tokens", params(("name" = String, Path)), responses((status = 204, description = "It is gone"), Refused))]
async fn remove(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageTokens>>,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    tokens::remove(door.ctx(), caller.access(), &name).await?;
    Ok(StatusCode::NO_CONTENT)
}
