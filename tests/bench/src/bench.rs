//! What all rows share: the plan, the receiver, and the installations, made when first asked for.

use anyhow::{Context, Result};
use vintem_tests::Backend;
use vintem_tests::postgres::Cluster;
use vintem_tests::site::Site;

use crate::hook::Hook;
use crate::installation::Installation;
use crate::load::{Charges, Create, Live, Pay};
use crate::machine;
use crate::plan::Plan;
use crate::request::AboutCharge;

/// The shared part of a run.
pub(crate) struct Bench {
    /// How long and how much.
    pub(crate) plan: Plan,
    /// Where all webhooks go.
    pub(crate) hook: Hook,
    sqlite: Option<Installation>,
    postgres: Option<Installation>,
    // After the installations: they remove their databases first.
    cluster: Option<Cluster>,
}

impl Bench {
    /// Nothing but the receiver.
    pub(crate) async fn new(plan: Plan) -> Result<Self> {
        Ok(Self {
            plan,
            hook: Hook::start().await?,
            sqlite: None,
            postgres: None,
            cluster: None,
        })
    }

    /// The cluster of this run.
    pub(crate) fn cluster(&mut self) -> Result<&Cluster> {
        let cluster = match self.cluster.take() {
            Some(cluster) => cluster,
            None => Cluster::start_durable()?,
        };
        Ok(self.cluster.insert(cluster))
    }

    /// An installation with an empty database and no server yet.
    pub(crate) fn empty_site(&mut self, on: Backend) -> Result<Site> {
        Ok(match on {
            Backend::Sqlite => Site::new(on),
            Backend::Postgres => Site::on_cluster(self.cluster()?),
        })
    }

    /// Makes sure that the installation on this database is there.
    pub(crate) fn prepare(&mut self, on: Backend) -> Result<()> {
        if self.slot(on).is_none() {
            let site = self.empty_site(on)?;
            let installation = Installation::prepare(site, self.plan.accounts, &self.hook.url());
            *self.slot(on) = Some(installation);
        }
        Ok(())
    }

    /// The installation on this database, which was prepared.
    pub(crate) fn installation(&self, on: Backend) -> Result<&Installation> {
        let slot = match on {
            Backend::Sqlite => &self.sqlite,
            Backend::Postgres => &self.postgres,
        };
        slot.as_ref().context("an installation was not prepared")
    }

    /// The same, to be stopped and started.
    pub(crate) fn slot(&mut self, on: Backend) -> &mut Option<Installation> {
        match on {
            Backend::Sqlite => &mut self.sqlite,
            Backend::Postgres => &mut self.postgres,
        }
    }

    /// Creators of charges for the first so many accounts, one a connection, until so many are noted.
    pub(crate) fn creators(
        &self,
        on: Backend,
        accounts: usize,
        created: &Charges,
        wanted: usize,
    ) -> Result<Vec<Create>> {
        let requests = self.installation(on)?.creates(accounts);
        let creator = |turn| Create {
            requests: requests.clone(),
            turn,
            created: created.clone(),
            wanted,
        };
        Ok((0..self.plan.connections).map(creator).collect())
    }

    /// Whole lives of charges of the first so many accounts, one at a time a connection.
    pub(crate) fn lives(&self, on: Backend, accounts: usize) -> Result<Vec<Live>> {
        let pay = AboutCharge::pay(self.installation(on)?.address());
        let creators = self.creators(on, accounts, &Charges::default(), usize::MAX)?;
        let live = |create: Create| {
            // Each connection pays what it created.
            let own = Charges::default();
            Live {
                create: Create {
                    created: own.clone(),
                    ..create
                },
                pay: Pay {
                    request: pay.clone(),
                    unpaid: own,
                },
            }
        };
        Ok(creators.into_iter().map(live).collect())
    }

    /// When and on what the figures were taken, and what holds for all of them; a sentence a line.
    pub(crate) fn conditions(&self) -> String {
        format!(
            "{}: {}, {}.\n\
             Release build with default settings; server, database, load generator and webhook receiver share the machine.\n\
             Every commit waits for the disk (SQLite: WAL, synchronous=FULL; PostgreSQL: fsync, synchronous_commit and full_page_writes on).\n\
             Rates: {} kept connections, each with one request under way, medians of {} loads of {} s; percentiles are of raw samples.\n\
             Processors: how many were in use by the server, by the load generator with its receiver, and by everything else, \
             PostgreSQL included; then the server's processor time for one operation.",
            machine::date(),
            machine::describe(),
            self.postgres_version(),
            self.plan.connections,
            self.plan.runs,
            self.plan.slice.as_secs()
        )
    }

    fn postgres_version(&self) -> String {
        let Some(cluster) = &self.cluster else {
            return "PostgreSQL not used".to_owned();
        };
        let printed = cluster.program("postgres").arg("--version").output();
        printed.map_or_else(
            |_missing| "PostgreSQL of unknown version".to_owned(),
            |printed| {
                String::from_utf8_lossy(&printed.stdout)
                    .trim()
                    .replace("postgres (PostgreSQL)", "PostgreSQL")
            },
        )
    }
}

/// How a database is called in the table.
pub(crate) fn name(on: Backend) -> &'static str {
    match on {
        Backend::Sqlite => "SQLite",
        Backend::Postgres => "PostgreSQL",
    }
}
