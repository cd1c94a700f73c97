//! Whether the server can write, for those who are allowed to know.

use model::access::Access;
use model::access::verb::Verb;

use crate::ctx::Ctx;

/// Why nothing can be written now. Those who look after the server hear where; who sees a part of the brain hears nothing.
pub fn outage(ctx: &Ctx, access: &Access) -> Option<String> {
    let outage = ctx.store.outage()?;
    access.may_touch_all(Verb::ReadBrain).ok()?;
    let may_know_where = access.may(Verb::ExamineServer).is_ok();
    Some(if may_know_where { outage.detail } else { outage.reason.to_owned() })
}
