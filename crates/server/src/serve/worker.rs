//! Threads that look for work again and again, whatever goes wrong.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use tokio::sync::oneshot;
use vintem_domain::Error;

use super::bell::{Bell, Woken};
use crate::failure::Failure;

/// How often a worker looks without being woken.
pub(super) const PERIOD: Duration = Duration::from_secs(1);
/// The longest pause after failures.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How long the workers may take to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// A worker's thread.
pub(super) struct Worker {
    bell: Bell,
    ended: oneshot::Receiver<()>,
}

/// Starts a thread that does `round` each second and whenever the bell rings, and once more at the end.
///
/// A round that fails or panics is logged and done again after a pause that grows; a panic ends the round, never the
/// worker.
pub(super) fn start(
    name: &'static str,
    bell: Bell,
    mut round: impl FnMut(&Bell) -> Result<(), Error> + Send + 'static,
) -> Result<Worker, Failure> {
    let (over, ended) = oneshot::channel();
    let of_thread = bell.clone();
    let work = move || {
        let mut failures = 0_u32;
        loop {
            let woken = of_thread.wait(pause(failures));
            match catch_unwind(AssertUnwindSafe(|| round(&of_thread))) {
                Ok(Ok(())) => failures = 0,
                Ok(Err(error)) => {
                    failures = failures.saturating_add(1);
                    tracing::warn!(worker = name, failures, %error, "a background task failed");
                }
                // The panic itself was logged by the hook.
                Err(_panic) => {
                    failures = failures.saturating_add(1);
                    tracing::error!(worker = name, failures, "a background task panicked");
                }
            }
            if woken == Woken::Stop {
                break;
            }
        }
        // Nobody listens any more when the server gave up waiting.
        let _ = over.send(());
    };
    std::thread::Builder::new()
        .name(format!("vintem-{name}"))
        .spawn(work)
        .map_err(|error| Failure::failed(format!("threads: {error}")))?;
    Ok(Worker { bell, ended })
}

/// The wait before the next round: a second, longer after failures.
fn pause(failures: u32) -> Duration {
    PERIOD
        .saturating_mul(2_u32.saturating_pow(failures))
        .min(LONGEST_PAUSE)
}

/// Lets all workers do their last round, as long as that does not take too long.
pub(super) async fn stop(workers: impl IntoIterator<Item = Worker>) {
    let workers: Vec<_> = workers.into_iter().collect();
    for worker in &workers {
        worker.bell.stop();
    }
    let all = async {
        for worker in workers {
            // The sender is dropped when the thread ends in any other way.
            let _ = worker.ended.await;
        }
    };
    if tokio::time::timeout(PATIENCE, all).await.is_err() {
        tracing::warn!("a background task did not end in time");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn pauses_grow_to_half_a_minute() {
        let seconds: Vec<u64> = [0, 1, 2, 5, 40].map(|count| pause(count).as_secs()).into();
        assert_eq!(seconds, [1, 2, 4, 30, 30]);
    }

    #[tokio::test]
    async fn a_worker_goes_on_after_a_panic_and_ends_with_a_last_round() {
        let bell = Bell::new();
        let (told, rounds) = mpsc::channel();
        let mut count = 0;
        let worker = start("test", bell.clone(), move |_| {
            count += 1;
            told.send(count).unwrap();
            assert!(count > 1, "the first round panics");
            Ok(())
        })
        .unwrap();
        for round in 1..=3 {
            bell.ring();
            assert_eq!(rounds.recv(), Ok(round));
        }
        stop([worker]).await;
        // Ends because the thread has: it holds the sender.
        assert!(rounds.iter().count() >= 1, "a last round");
    }
}
