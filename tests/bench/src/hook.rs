//! The merchants' side of webhooks: acknowledges whatever comes and remembers when it came.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::spawn_local;

use crate::wire::{ChargeId, Subject, read_message, subject};

const ACKNOWLEDGED: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// How often the number of arrivals is looked at while waiting for the last ones.
const PERIOD: Duration = Duration::from_millis(5);

/// When the first webhook about each came; clones look at the same.
#[derive(Clone, Default)]
pub(crate) struct Arrivals(Rc<RefCell<HashMap<Subject, Instant>>>);

impl Arrivals {
    /// How many have come.
    pub(crate) fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// How many have come in this time.
    pub(crate) fn within(&self, from: Instant, length: Duration) -> usize {
        let arrivals = self.0.borrow();
        let times = arrivals.values();
        times
            .filter(|arrived| (from..from + length).contains(*arrived))
            .count()
    }
}

/// A running receiver of webhooks.
pub(crate) struct Hook {
    address: SocketAddr,
    arrivals: Arrivals,
}

impl Hook {
    /// Listens on a free port, as tasks of this thread.
    pub(crate) async fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let arrivals = Arrivals::default();
        let of_task = arrivals.clone();
        spawn_local(async move {
            while let Ok((stream, _)) = listener.accept().await {
                spawn_local(serve(stream, of_task.clone()));
            }
        });
        Ok(Self { address, arrivals })
    }

    /// The address of the endpoint.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Forgets what has come so far.
    pub(crate) fn clear(&self) {
        self.arrivals.0.borrow_mut().clear();
    }

    /// What has come since it was cleared, also what comes from now on.
    pub(crate) fn arrivals(&self) -> Arrivals {
        self.arrivals.clone()
    }

    /// When the first webhook about this charge came.
    pub(crate) fn arrival(&self, charge: &ChargeId) -> Option<Instant> {
        let subject = charge.last_chunk::<26>()?;
        self.arrivals.0.borrow().get(subject).copied()
    }

    /// Waits until webhooks about so many have been acknowledged and says when the last of them came.
    pub(crate) async fn wait_for(&self, count: usize, deadline: Duration) -> Result<Instant> {
        let end = Instant::now() + deadline;
        loop {
            let arrived = self.arrivals.count();
            if arrived >= count {
                let last = self.arrivals.0.borrow().values().max().copied();
                return Ok(last.unwrap_or_else(Instant::now));
            }
            if Instant::now() > end {
                bail!("{arrived} of {count} webhooks arrived within {deadline:?} after the load");
            }
            tokio::time::sleep(PERIOD).await;
        }
    }
}

async fn serve(mut stream: TcpStream, arrivals: Arrivals) {
    let _ = stream.set_nodelay(true);
    let mut buffer = Vec::with_capacity(8 * 1024);
    while let Ok(Some(message)) = read_message(&mut stream, &mut buffer).await {
        let arrived = Instant::now();
        if let Some(subject) = subject(&buffer[message.body..message.end]) {
            arrivals.0.borrow_mut().entry(subject).or_insert(arrived);
        }
        buffer.drain(..message.end);
        if stream.write_all(ACKNOWLEDGED).await.is_err() {
            return;
        }
    }
}
