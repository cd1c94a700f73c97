//! Which blocks a file needs shows only while it is read. So what is asked for is noted, looked for, and the file is read again
//! until nothing more is asked for.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use model::access::Access;
use model::graph::block::BlockSignature;
use model::graph::{Blocks, GraphContent, Missing};
use model::version::VersionNumber;

use crate::app::graphs::library::{Called, Library};
use crate::blocking::blocking;
use crate::ctx::Ctx;
use crate::error::Error;

/// Does something with all the blocks that it asks for. It is done on a thread that may be blocked, twice as a rule.
pub(super) async fn with_blocks<T: Send + 'static>(
    ctx: &Ctx,
    access: &Access,
    work: impl Fn(&dyn Blocks) -> T + Send + Sync + 'static,
) -> Result<T, Error> {
    let work = Arc::new(work);
    let mut library = Library::new(access);
    loop {
        let at_work = Arc::clone(&work);
        let (done, unknown, back) = blocking(move || {
            let asked = Asked { library: &library, unknown: RefCell::default() };
            let done = at_work(&asked);
            let unknown = asked.unknown.into_inner();
            (done, unknown, library)
        })
        .await;
        if unknown.is_empty() {
            return Ok(done);
        }
        library = back;
        library.read_also(ctx, unknown.into_iter().collect()).await?;
    }
}

/// What is known so far, and what was asked for beside it.
struct Asked<'a> {
    library: &'a Library,
    unknown: RefCell<BTreeSet<Called>>,
}

impl Asked<'_> {
    fn note(&self, name: &str, version: Option<VersionNumber>) {
        let called = (name.to_owned(), version);
        if !self.library.knows(&called) {
            self.unknown.borrow_mut().insert(called);
        }
    }
}

impl Blocks for Asked<'_> {
    fn signature(&self, name: &str, version: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing> {
        self.note(name, version);
        self.library.signature(name, version)
    }

    fn graph(&self, name: &str, version: Option<VersionNumber>) -> Option<Arc<GraphContent>> {
        self.note(name, version);
        self.library.graph(name, version)
    }
}
