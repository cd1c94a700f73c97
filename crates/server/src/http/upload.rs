//! Bodies that are larger than most: folders of files, packs.

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::door::Door;
use super::problem::Problem;
use crate::app::packs::TextFile;

/// So many times as long as other bodies may take, because they are so much larger.
const PATIENCE: u32 = 10;

/// JSON of up to `upload_bytes`.
pub(super) struct Upload<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Door> for Upload<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, door: &Door) -> Result<Self, Problem> {
        let config = door.config();
        let limit = config.body_timeout.saturating_mul(PATIENCE);
        let read = to_bytes(request.into_body(), config.upload_bytes);
        let bytes = match tokio::time::timeout(limit, read).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) => {
                let message = format!("the body broke off, or has more than {} bytes", config.upload_bytes);
                return Err(Problem::of("too_large", message));
            }
            Err(_) => {
                let message = "the body did not arrive in time";
                return Err(Problem::of("too_slow", message));
            }
        };
        let wrong = |error: serde_json::Error| {
            let code = if error.is_data() { "bad_body" } else { "bad_json" };
            Problem::of(code, error.to_string())
        };
        serde_json::from_slice(&bytes).map(Upload).map_err(wrong)
    }
}

/// A file, as text or, if it is none, in base64.
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

pub(super) fn files(bodies: Vec<FileBody>) -> Result<Vec<TextFile>, Problem> {
    let file = |body: FileBody| {
        let path = body.path.clone();
        body.file().ok_or_else(|| {
            Problem::bad_request(format!("file `{path}` has no content that can be read"))
                .hint("send either `text`, or its bytes as `base64`")
        })
    };
    bodies.into_iter().map(file).collect()
}
