//! Where pages are drawn: on one thread, one after another.
//!
//! Drawing takes megabytes for some milliseconds, and the allocator keeps them for the thread that had them. On whichever thread serves the
//! request, that would soon be all of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use vintem_domain::Error;

type Job = Box<dyn FnOnce() + Send>;

/// Takes jobs to the thread; `None` when there is no thread to be had.
static DESK: LazyLock<Option<Sender<Job>>> = LazyLock::new(|| {
    let (sender, jobs) = channel::<Job>();
    thread::Builder::new()
        .name("vintem-paper".to_owned())
        .spawn(move || jobs.into_iter().for_each(|job| job()))
        .ok()
        .map(|_runs_as_long_as_the_process| sender)
});

/// Draws at the desk, and waits for the page.
///
/// # Errors
/// Those of `draw`; [`Error::Bug`] when it panics.
pub(crate) fn at_the_desk<T: Send + 'static>(
    draw: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let (answer, drawn) = channel();
    let job: Job = Box::new(move || {
        let page = catch_unwind(AssertUnwindSafe(draw))
            .unwrap_or_else(|_panic| Err(Error::bug("drawing a page panicked")));
        // Nobody waits for it any more when this fails.
        let _ = answer.send(page);
    });
    match &*DESK {
        Some(desk) => desk
            .send(job)
            .map_err(|_unsent| Error::bug("the desk is closed"))?,
        None => job(),
    }
    drawn
        .recv()
        .unwrap_or_else(|_lost| Err(Error::bug("the desk lost a page")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_drawn_one_after_another_on_one_thread() {
        let threads: Vec<_> = thread::scope(|scope| {
            let callers: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| at_the_desk(|| Ok(thread::current().id()))))
                .collect();
            callers
                .into_iter()
                .map(|caller| caller.join().unwrap().unwrap())
                .collect()
        });
        assert!(threads.iter().all(|thread| *thread == threads[0]));
        assert_ne!(threads[0], thread::current().id());
    }

    #[test]
    fn a_page_that_cannot_be_drawn_is_an_error_and_the_next_one_is_drawn() {
        let failed: Result<(), Error> = at_the_desk(|| panic!("a mistake in a page"));
        assert!(matches!(failed, Err(Error::Bug(_))));
        assert_eq!(at_the_desk(|| Ok(7)).unwrap(), 7);
    }
}
