//! Verb × actor: every verb of `app` is called by every kind of Access, and does what the table in `model::access::verb` says.

mod cases;
mod scan;
mod sides;

use std::mem::discriminant;
use std::sync::Arc;

use model::access::actor::Actor;
use model::access::grantable::Grantable;
use model::access::scope::Scope;
use model::access::token::TokenRole;
use model::access::{Access, Authority, Denied};
use model::ids::{RunId, TokenId};
use server::Error;
use store::testing::TestDatabase;

use self::cases::{CASES, Case, Reach};
use self::sides::{INSIDE, OUTSIDE, Side};
use crate::engine::script::Stage;

/// What becomes of a call.
#[derive(Debug, PartialEq)]
enum Became {
    /// It was done, or failed for a reason that has nothing to do with who asked.
    Allowed,
    NotOfTheRole,
    NotOfTheNames,
    /// It was answered as if there were no such thing.
    Hidden,
}

/// A token, and a run that it started.
fn accesses(role: TokenRole, only: Scope) -> [Access; 2] {
    let holder = Actor::Token(TokenId(uuid::Uuid::from_u128(7)));
    let (uses, grants) = match only.is_all() {
        true => (Scope::All, Grantable::all()),
        false => (Scope::none(), Grantable::none()),
    };
    let authority = Arc::new(Authority { holder: holder.clone(), role, only, uses, grants });
    let run = Access::of_run(RunId(uuid::Uuid::from_u128(8)), &authority);
    [Access { actor: holder, authority }, run]
}

/// What the table says.
fn due(case: &Case, access: &Access, side: &Side) -> Became {
    let judged = match case.reach {
        Reach::Name => access.may_touch(case.is, &side.function),
        Reach::Whole => access.may_touch_all(case.is),
        Reach::Record | Reach::List => access.may(case.is),
    };
    let is_outside = !access.covers(&side.function);
    match judged {
        Err(denied) => denial(&denied),
        Ok(()) if case.reach == Reach::Record && is_outside => Became::Hidden,
        Ok(()) => Became::Allowed,
    }
}

fn denial(denied: &Denied) -> Became {
    let of_the_role = Denied::Role { role: TokenRole::Viewer, need: model::access::verb::Need::Run };
    match discriminant(denied) == discriminant(&of_the_role) {
        true => Became::NotOfTheRole,
        false => Became::NotOfTheNames,
    }
}

fn became(called: &Result<String, Error>) -> Became {
    match called {
        Err(Error::Denied(denied)) => denial(denied),
        Err(error) if error.code().ends_with("not_found") => Became::Hidden,
        _ => Became::Allowed,
    }
}

store::on_both! {
    async fn every_verb_does_for_every_actor_what_the_table_says(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let (inside, outside) = (Side::set(&stage, INSIDE).await, Side::set(&stage, OUTSIDE).await);
        let narrow = || Scope::Names(vec!["web.*".to_owned()]);
        let mut wrong = Vec::new();
        for case in CASES {
            for role in TokenRole::ALL {
                for (only, side) in [(Scope::All, &outside), (narrow(), &inside), (narrow(), &outside)] {
                    for access in accesses(role, only) {
                        let due = due(case, &access, side);
                        let called = (case.call)(&stage, &access, side).await;
                        let who = format!("{} by {:?} on {}", case.verb, access, side.function);
                        if became(&called) != due {
                            wrong.push(format!("{who}: {due:?} is due, and it answers {called:?}"));
                        }
                        let answer = called.unwrap_or_default();
                        if !access.only().is_all() && answer.contains("mail.") {
                            wrong.push(format!("{who}: it tells what is outside: {answer}"));
                        }
                        stage.settle().await;
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        stage.close().await;
    }
}
