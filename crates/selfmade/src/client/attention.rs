//! What needs a person now.

use server::app::operations::attention::Attention;

use super::Brain;
use crate::error::Error;

impl Brain {
    pub(crate) async fn attention(&self) -> Result<Attention, Error> {
        self.at(&["attention"]).get().await
    }
}
