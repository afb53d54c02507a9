//! Bounded lanes for work that blocks.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::Span;
use vintem_domain::Error;

use crate::error::{Fault, Problem};

/// So many pieces of work at once, on threads that may block; the others wait for a while. Clones are the same lane.
#[derive(Clone)]
pub(crate) struct Lane {
    places: Arc<Semaphore>,
    size: usize,
    wait: Duration,
}

impl Lane {
    /// A lane of `size` places, for each of which one waits at most `wait`.
    pub(crate) fn new(size: usize, wait: Duration) -> Self {
        let size = size.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(size)),
            size,
            wait,
        }
    }

    /// How many places are taken.
    pub(crate) fn in_use(&self) -> f64 {
        let taken = self.size.saturating_sub(self.places.available_permits());
        f64::from(u32::try_from(taken).unwrap_or(u32::MAX))
    }

    /// Runs the work. Once it has begun it runs to its end, also when nobody waits for it any more; its place stays
    /// taken until then.
    ///
    /// `patience` says how long to wait for that end, and is asked again when the time is over. Its refusal is the
    /// answer, and the outcome of the work is unknown then.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        mut patience: impl FnMut() -> Result<Duration, Error>,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Problem> {
        let mut job = self.begin(work).await?;
        loop {
            if let Ok(done) = timeout(patience()?, &mut job).await {
                return finished(done);
            }
        }
    }

    async fn begin<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<JoinHandle<T>, Problem> {
        let place = self.place().await?;
        let span = Span::current();
        Ok(tokio::task::spawn_blocking(move || {
            let _place = place;
            span.in_scope(work)
        }))
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit, Problem> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return Ok(place);
        }
        match timeout(self.wait, Arc::clone(&self.places).acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => Err(Fault::Busy.into()),
        }
    }
}

/// Patience for so long, and then this answer.
pub(crate) fn at_most(
    limit: Duration,
    late: fn() -> Error,
) -> impl FnMut() -> Result<Duration, Error> {
    let mut over = false;
    move || {
        if mem::replace(&mut over, true) {
            Err(late())
        } else {
            Ok(limit)
        }
    }
}

fn finished<T>(done: Result<Result<T, Error>, tokio::task::JoinError>) -> Result<T, Problem> {
    match done {
        Ok(outcome) => outcome.map_err(Problem::from),
        Err(panicked) => Err(Error::bug(format!("a use case panicked: {panicked}")).into()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[expect(clippy::unnecessary_wraps, reason = "as a lane asks for it")]
    fn patient() -> Result<Duration, Error> {
        Ok(LONG)
    }

    #[tokio::test]
    async fn a_full_lane_answers_busy_and_a_place_comes_free() {
        let lane = Lane::new(1, Duration::from_millis(10));
        let (release, released) = mpsc::channel::<()>();
        let (begin, at_work) = mpsc::channel::<()>();
        let held = tokio::spawn({
            let lane = lane.clone();
            async move {
                lane.run(patient, move || {
                    begin.send(()).unwrap();
                    released.recv().unwrap();
                    Ok(1)
                })
                .await
            }
        });
        tokio::task::spawn_blocking(move || at_work.recv().unwrap())
            .await
            .unwrap();
        assert!((lane.in_use() - 1.0).abs() < f64::EPSILON);
        let refused = lane.run(patient, || Ok(2)).await.unwrap_err();
        assert_eq!(refused.code(), "busy");
        release.send(()).unwrap();
        assert_eq!(held.await.unwrap().unwrap(), 1);
        let other = Lane {
            wait: LONG,
            ..lane.clone()
        };
        assert_eq!(other.run(patient, || Ok(3)).await.unwrap(), 3);
    }

    #[tokio::test]
    async fn work_goes_on_when_nobody_waits_for_it() {
        let lane = Lane::new(1, LONG);
        let (release, released) = mpsc::channel::<()>();
        let (done, ended) = mpsc::channel::<()>();
        let impatient = || Error::Unavailable("late".into());
        let unknown = lane
            .run(at_most(Duration::from_millis(1), impatient), move || {
                released.recv().unwrap();
                done.send(()).unwrap();
                Ok(())
            })
            .await
            .unwrap_err();
        assert_eq!(unknown.code(), "unavailable");
        release.send(()).unwrap();
        tokio::task::spawn_blocking(move || ended.recv().unwrap())
            .await
            .unwrap();
        lane.run(patient, || Ok(())).await.unwrap();
    }

    #[tokio::test]
    async fn a_panic_is_a_failure_of_ours_and_frees_its_place() {
        let lane = Lane::new(1, LONG);
        let failed = lane
            .run::<()>(patient, || panic!("on purpose"))
            .await
            .unwrap_err();
        assert_eq!(failed.code(), "internal_error");
        lane.run(patient, || Ok(())).await.unwrap();
    }
}
