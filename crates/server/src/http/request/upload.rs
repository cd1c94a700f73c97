//! Large bodies: folders of files, packs.

use axum::body::{Body, HttpBody};
use axum::extract::{FromRequest, Request};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedSemaphorePermit;
use utoipa::ToSchema;

use super::authorization::is_judged;
use super::spool::Spool;
use crate::app::packs::TextFile;
use crate::blocking::blocking;
use crate::http::problem::Problem;
use crate::http::state::Door;

/// So many times as long as other bodies may take, because they are so much larger.
const BODY_TIMEOUTS: u32 = 10;

/// JSON of up to `upload_bytes`, and the place it takes among the uploads until it is handled.
///
/// While it arrives, no more than `body_bytes` of it are in memory; what is larger is in a file. It is parsed from there piece by piece,
/// so that memory holds the files it carries, and besides the one that is being parsed, up to twice. There are never more uploads at once
/// than there are places.
pub(crate) struct Upload<T>(pub(crate) T, pub(crate) OwnedSemaphorePermit);

impl<T: DeserializeOwned + Send + 'static> FromRequest<Door> for Upload<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, door: &Door) -> Result<Self, Problem> {
        let (received, place) = received(request, door).await?;
        let value = blocking(move || received.parse()).await?;
        Ok(Upload(value, place))
    }
}

/// The same, as it is: a file whose form the verb knows.
pub(crate) struct UploadedBytes(pub(crate) Vec<u8>, pub(crate) OwnedSemaphorePermit);

impl FromRequest<Door> for UploadedBytes {
    type Rejection = Problem;

    async fn from_request(request: Request, door: &Door) -> Result<Self, Problem> {
        let (received, place) = received(request, door).await?;
        let bytes = blocking(move || received.bytes()).await?;
        Ok(UploadedBytes(bytes, place))
    }
}

async fn received(request: Request, door: &Door) -> Result<(Spool, OwnedSemaphorePermit), Problem> {
    is_judged(&request)?;
    let place = place(door).await?;
    let limit = door.config().body_timeout.saturating_mul(BODY_TIMEOUTS);
    let received = tokio::time::timeout(limit, receive(door, request.into_body())).await;
    let received = received.map_err(|_| Problem::of("too_slow", "the body did not arrive in time"))??;
    Ok((received, place))
}

/// Waits for a place, with the body unread.
async fn place(door: &Door) -> Result<OwnedSemaphorePermit, Problem> {
    let waited = tokio::time::timeout(door.config().body_timeout, door.upload_place()).await;
    waited
        .ok()
        .flatten()
        .ok_or_else(|| Problem::of("too_many_uploads", "too many uploads are in progress").retry_after(10))
}

async fn receive(door: &Door, body: Body) -> Result<Spool, Problem> {
    let config = door.config();
    let too_large =
        || Problem::of("too_large", format!("an upload may have at most {} bytes", config.upload_bytes));
    if body.size_hint().lower() > config.upload_bytes as u64 {
        return Err(too_large());
    }
    let mut spool = Spool::new(door.ctx().uploads_folder(), config.body_bytes);
    let mut chunks = body.into_data_stream();
    let mut bytes = 0;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Problem::bad_request("the body was cut off; send it again"))?;
        bytes += chunk.len();
        if bytes > config.upload_bytes {
            return Err(too_large());
        }
        spool.add(&chunk).await?;
    }
    spool.finish().await
}

/// A file, as text or, if it is not text, in base64.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FileBody {
    /// Where it is in its folder, with forward slashes.
    #[schema(example = "text.py")]
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

impl From<TextFile> for FileBody {
    fn from(file: TextFile) -> FileBody {
        let path = file.path;
        match String::from_utf8(file.bytes) {
            Ok(text) => FileBody { path, text: Some(text), base64: None },
            Err(error) => FileBody { path, text: None, base64: Some(STANDARD.encode(error.as_bytes())) },
        }
    }
}

impl FileBody {
    /// None if its base64 is none.
    pub fn file(self) -> Option<TextFile> {
        let bytes = match (self.text, self.base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(encoded)) => STANDARD.decode(encoded).ok()?,
            _ => return None,
        };
        Some(TextFile { path: self.path, bytes })
    }
}

pub(crate) fn files(bodies: Vec<FileBody>) -> Result<Vec<TextFile>, Problem> {
    let file = |body: FileBody| {
        let path = body.path.clone();
        body.file().ok_or_else(|| {
            Problem::bad_request(format!("file `{path}` has no content that can be read"))
                .hint("send either `text`, or its bytes as `base64`")
        })
    };
    bodies.into_iter().map(file).collect()
}
