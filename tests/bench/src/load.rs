//! Load: closed loops, in which each connection waits for its answer, and an open one, which goes by the clock.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::task::{JoinHandle, spawn_local};

use crate::request::AboutCharge;
use crate::wire::{ChargeId, Connection, charge_id};

/// What one connection of a closed loop does again and again.
pub(crate) trait Step: 'static {
    /// Once; `false` when there is nothing left to do.
    async fn take(&mut self, connection: &mut Connection) -> Result<bool>;
}

/// What came of a load.
pub(crate) struct Outcome {
    /// When it began.
    pub(crate) began: Instant,
    /// When the last step ended.
    pub(crate) ended: Instant,
    /// How long each step took.
    pub(crate) samples: Vec<Duration>,
}

impl Outcome {
    /// How many steps were taken.
    pub(crate) fn count(&self) -> usize {
        self.samples.len()
    }

    /// Steps a second.
    pub(crate) fn rate(&self) -> f64 {
        rate(self.count(), self.ended - self.began)
    }
}

/// So many in that time, a second.
pub(crate) fn rate(count: usize, elapsed: Duration) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / elapsed.as_secs_f64()
}

/// Lets every step run on a connection of its own, again and again, for so long.
pub(crate) async fn closed<S: Step>(
    address: SocketAddr,
    steps: Vec<S>,
    duration: Duration,
) -> Result<Outcome> {
    let connections = Connection::open_many(address, steps.len()).await?;
    let began = Instant::now();
    let end = began + duration;
    let tasks: Vec<JoinHandle<Result<Vec<Duration>>>> = connections
        .into_iter()
        .zip(steps)
        .map(|(connection, step)| spawn_local(repeat(connection, step, end)))
        .collect();
    let mut samples = Vec::new();
    for task in tasks {
        samples.append(&mut task.await??);
    }
    let ended = Instant::now();
    Ok(Outcome {
        began,
        ended,
        samples,
    })
}

async fn repeat<S: Step>(
    mut connection: Connection,
    mut step: S,
    end: Instant,
) -> Result<Vec<Duration>> {
    let mut samples = Vec::new();
    loop {
        let before = Instant::now();
        if before >= end || !step.take(&mut connection).await? {
            return Ok(samples);
        }
        samples.push(before.elapsed());
    }
}

/// Sends the same request again and again.
#[derive(Clone)]
pub(crate) struct Same {
    /// The request.
    pub(crate) request: Rc<[u8]>,
}

impl Step for Same {
    async fn take(&mut self, connection: &mut Connection) -> Result<bool> {
        connection.exchange(&self.request).await?.success()?;
        Ok(true)
    }
}

/// Charges somebody is to do something with; each is taken once.
pub(crate) type Charges = Rc<RefCell<Vec<ChargeId>>>;

/// Creates charges, each for the next of these merchants, and notes them.
pub(crate) struct Create {
    /// A request of each merchant.
    pub(crate) requests: Rc<[Vec<u8>]>,
    /// How many were created.
    pub(crate) turn: usize,
    /// What was created.
    pub(crate) created: Charges,
    /// How many are wanted of all connections together.
    pub(crate) wanted: usize,
}

impl Step for Create {
    async fn take(&mut self, connection: &mut Connection) -> Result<bool> {
        if self.created.borrow().len() >= self.wanted {
            return Ok(false);
        }
        let request = &self.requests[self.turn % self.requests.len()];
        self.turn += 1;
        let answer = connection.exchange(request).await?;
        self.created
            .borrow_mut()
            .push(charge_id(answer.success()?)?);
        Ok(true)
    }
}

/// Pays charges at the play bank.
pub(crate) struct Pay {
    /// The request.
    pub(crate) request: AboutCharge,
    /// What is left to be paid.
    pub(crate) unpaid: Charges,
}

impl Step for Pay {
    async fn take(&mut self, connection: &mut Connection) -> Result<bool> {
        let Some(charge) = self.unpaid.borrow_mut().pop() else {
            return Ok(false);
        };
        connection
            .exchange(self.request.about(&charge))
            .await?
            .success()?;
        Ok(true)
    }
}

/// Creates a charge and pays it.
pub(crate) struct Live {
    /// Creates it, for the next of the merchants.
    pub(crate) create: Create,
    /// Pays it.
    pub(crate) pay: Pay,
}

impl Step for Live {
    async fn take(&mut self, connection: &mut Connection) -> Result<bool> {
        Ok(self.create.take(connection).await? && self.pay.take(connection).await?)
    }
}

/// A payment of the open loop.
pub(crate) struct Paid {
    /// What was paid.
    pub(crate) charge: ChargeId,
    /// When the bank's notice was sent.
    pub(crate) sent: Instant,
    /// When it was answered.
    pub(crate) answered: Instant,
}

/// Pays all these charges, so many a second, whether or not earlier notices have been answered.
pub(crate) async fn pay_by_the_clock(
    address: SocketAddr,
    charges: Vec<ChargeId>,
    per_second: u32,
) -> Result<Vec<Paid>> {
    let idle = Rc::new(RefCell::new(Connection::open_many(address, 32).await?));
    let began = Instant::now();
    let mut tasks = Vec::with_capacity(charges.len());
    for (number, charge) in (0..).zip(charges) {
        let due = began + Duration::from_secs(1) * number / per_second;
        tokio::time::sleep_until(due.into()).await;
        tasks.push(spawn_local(pay(address, charge, Rc::clone(&idle))));
    }
    let mut paid = Vec::with_capacity(tasks.len());
    for task in tasks {
        paid.push(task.await??);
    }
    Ok(paid)
}

async fn pay(
    address: SocketAddr,
    charge: ChargeId,
    idle: Rc<RefCell<Vec<Connection>>>,
) -> Result<Paid> {
    let mut request = AboutCharge::pay(address);
    let free = idle.borrow_mut().pop();
    let mut connection = match free {
        Some(connection) => connection,
        None => Connection::open(address)
            .await
            .context("no further connection")?,
    };
    let sent = Instant::now();
    connection
        .exchange(request.about(&charge))
        .await?
        .success()?;
    let answered = Instant::now();
    idle.borrow_mut().push(connection);
    Ok(Paid {
        charge,
        sent,
        answered,
    })
}
