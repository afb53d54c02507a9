//! Death of a process at any call it makes: what was not committed is gone, and somebody else starts again.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What a dying process unwinds with. It is no failure: nobody prints it.
struct Death;

/// The process dies here: nothing after this call happens.
pub(crate) fn die() -> ! {
    resume_unwind(Box::new(Death))
}

/// How a process ended.
pub(crate) enum End {
    /// It did what it had to.
    Finished,
    /// It died on the way.
    Died,
    /// The program itself panicked, with these words.
    Panicked(String),
}

/// Lets a process live until it ends.
pub(crate) fn live(process: impl FnOnce()) -> End {
    match catch_unwind(AssertUnwindSafe(process)) {
        Ok(()) => End::Finished,
        Err(payload) if payload.is::<Death>() => End::Died,
        Err(payload) => End::Panicked(words(&*payload)),
    }
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without words".to_owned())
}
