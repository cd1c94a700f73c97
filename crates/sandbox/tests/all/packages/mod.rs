//! Packages that people use, inside cells with all layers on: installed by `uv` from the real index into one environment that
//! the whole suite shares and keeps.

mod aiohttp;
mod beautifulsoup4;
mod client;
mod httpx;
mod numpy;
mod openai;
mod pandas;
mod pydantic;
mod requests;
mod standard_library;
mod urllib;

use std::sync::Arc;

use selfmade_sandbox::Environment;

use crate::environments::shared;
use crate::support::{World, config};

const ALL: [&str; 8] =
    ["aiohttp", "beautifulsoup4", "httpx", "numpy", "openai", "pandas", "pydantic", "requests"];

/// The environment with all of them, of which the zygote loads what the test is about.
async fn environment(preload: &[&str]) -> Arc<Environment> {
    shared(&ALL, preload).await
}

/// Cells with all packages and no way out.
async fn cells(preload: &[&str]) -> World {
    World::with(config(), environment(preload).await).await
}
