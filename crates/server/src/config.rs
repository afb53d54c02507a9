//! Every setting there is: one table from which variables, the file, flags, help and documents are made.

#[cfg(test)]
mod documented;
mod source;
mod value;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use vintem_domain::Centavos;
use vintem_domain::account::{Limits, Policy};
use vintem_domain::calendar::{BankCalendar, Holiday};
use vintem_domain::money::{Fee, FeeSchedule};

pub(crate) use source::{BadSetting, Given};
pub(crate) use value::{
    Count, DatabaseUrl, FilesUrl, LogFilter, LogFormat, MasterKey, Provider, PublicUrl, StubSecret,
    Value,
};

/// What a setting is when nobody gives it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unset {
    /// This text, read like any other.
    Is(&'static str),
    /// Absent; what the program does then, in words.
    Means(&'static str),
}

/// Which commands take a setting as a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    /// All.
    Everywhere,
    /// `serve`.
    Serve,
    /// None: it is a secret, or belongs in the file.
    Nowhere,
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The key in `vintem.toml`; the variable and the flag are spelled after it.
    pub(crate) name: &'static str,
    /// What it is when nobody gives it.
    pub(crate) unset: Unset,
    /// Who takes it as a flag.
    pub(crate) flag: Flag,
    /// What it does, in lines.
    pub(crate) meaning: &'static [&'static str],
}

impl Setting {
    /// `VINTEM_LISTEN`
    pub(crate) fn variable(&self) -> String {
        format!("{}{}", source::PREFIX, self.name.to_uppercase())
    }

    /// `public-url`
    pub(crate) fn long_flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// What it does, on one line of plain text.
    pub(crate) fn meaning(&self) -> String {
        let lines: Vec<&str> = self.meaning.iter().map(|line| line.trim()).collect();
        lines.join(" ").replace('`', "")
    }

    /// Its default as people read it.
    pub(crate) fn default(&self) -> &'static str {
        match self.unset {
            Unset::Is(text) | Unset::Means(text) => text,
        }
    }
}

/// Makes the struct and the table of one list.
macro_rules! settings {
    ($($(#[doc = $meaning:literal])+ $name:ident: $type:ty, $unset:expr, $flag:ident;)+) => {
        /// The settings, read and checked one by one.
        pub(crate) struct Config {
            $($(#[doc = $meaning])+ pub(crate) $name: $type,)+
        }

        /// Every setting there is, in the order people read them.
        pub(crate) const SETTINGS: &[Setting] = &[$(Setting {
            name: stringify!($name),
            unset: $unset,
            flag: Flag::$flag,
            meaning: &[$($meaning),+],
        }),+];

        impl Config {
            fn read(given: &Given) -> Result<Self, BadSetting> {
                let config = Self {
                    $($name: given.value(stringify!($name), $unset)?,)+
                };
                config.check()?;
                Ok(config)
            }
        }
    };
}

settings! {
    /// Address and port to listen on; port 0 takes a free one.
    listen: SocketAddr, Unset::Is("127.0.0.1:8080"), Serve;
    /// Where payers and merchants reach this server; links are made of it.
    public_url: Option<PublicUrl>, Unset::Means("http:// and the bound address"), Everywhere;
    /// The database: `sqlite://PATH` (embedded, one server) or `postgres://…` (one or many servers).
    database_url: DatabaseUrl, Unset::Is("sqlite://data/vintem.db"), Everywhere;
    /// Folder for uploads and for the secrets this program generates (readable by its user alone).
    data_dir: PathBuf, Unset::Is("data"), Everywhere;
    /// Where uploads are kept: `file://PATH` or `s3://BUCKET`.
    files_url: Option<FilesUrl>, Unset::Means("file://{data dir}/files"), Serve;
    /// 32 bytes in base64 or hexadecimal that encrypt webhook secrets and test keys.
    /// Servers that share a PostgreSQL database must share it.
    master_key: Option<MasterKey>, Unset::Means("generated into {data dir}/master.key"), Nowhere;
    /// Networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, separated by commas.
    trusted_proxies: Vec<IpNet>, Unset::Is(""), Serve;
    /// Whether webhooks may be sent to private addresses and live ones over plain http.
    webhook_allow_private: Option<bool>,
        Unset::Means("false in live mode; true for sandbox endpoints while listening on a loopback address"), Everywhere;
    /// Who moves the money of live accounts; stub is a play bank: no real money moves.
    provider: Provider, Unset::Is("stub"), Serve;
    /// Proves to the play bank (/psp/stub) that an order comes from its operator.
    stub_secret: Option<StubSecret>, Unset::Means("generated into {data dir}/stub.secret"), Nowhere;
    /// Which log lines are written to stderr: error, warn, info, debug, trace, or a filter by module.
    log: LogFilter, Unset::Is("info"), Everywhere;
    /// How log lines look: text or json.
    log_format: LogFormat, Unset::Is("text"), Everywhere;
    /// Whether serve opens a first account in a database without one, and prints its password and test key.
    bootstrap: bool, Unset::Is("true"), Serve;
    /// An address of its own for /metrics, which then leaves the main one.
    metrics_listen: Option<SocketAddr>, Unset::Means("on the main address"), Serve;

    /// Fee of a paid PIX charge: centavos, basis points or both (80, 99bp, 80+99bp).
    fees_pix: Fee, Unset::Is("80"), Nowhere;
    /// Fee of a paid checkout.
    fees_checkout: Fee, Unset::Is("80"), Nowhere;
    /// Fee of a paid boleto.
    fees_boleto: Fee, Unset::Is("199"), Nowhere;
    /// Fee of a PIX withdrawal.
    fees_withdrawal: Fee, Unset::Is("100"), Nowhere;
    /// Fee of a third-party payment, the provider's part.
    fees_bill_provider: Fee, Unset::Is("60"), Nowhere;
    /// Fee of a third-party payment, the service's part.
    fees_bill_service: Fee, Unset::Is("90"), Nowhere;
    /// Limit per transaction in centavos, on the amount asked before fees.
    limits_per_transaction: Centavos, Unset::Is("5000000"), Nowhere;
    /// Limit per withdrawal in centavos.
    limits_withdrawal: Centavos, Unset::Is("5000000"), Nowhere;
    /// Limit of all withdrawals of one São Paulo day in centavos.
    limits_withdrawal_per_day: Centavos, Unset::Is("20000000"), Nowhere;
    /// Bank holidays beside the national ones, separated by commas: 2027-03-01 and a name, or 01-25 and a name for every year.
    holidays: Vec<Holiday>, Unset::Is(""), Nowhere;

    /// Failed authentications a minute after which a client address gets 429; 0 switches it off.
    failed_authentications_per_minute: u32, Unset::Is("600"), Nowhere;
    /// Requests a minute after which a key gets 429; 0 switches it off.
    key_requests_per_minute: u32, Unset::Is("0"), Nowhere;

    /// Threads that read and write requests.
    http_workers: Option<Count>, Unset::Means("one per processor"), Nowhere;
    /// Connections of clients that one of these threads keeps open.
    connections_per_worker: Count, Unset::Is("4096"), Nowhere;
    /// Requests that may use the database at once.
    database_lane: Option<Count>, Unset::Means("64; with PostgreSQL the number of connections"), Nowhere;
    /// Requests that may wait for the payment provider at once; they do not hold up the others.
    provider_lane: Count, Unset::Is("256"), Nowhere;
    /// How long a request waits for its turn before it gets 503.
    lane_wait: Duration, Unset::Is("5s"), Nowhere;
    /// How long a request waits for the payment provider before it gets 502.
    provider_timeout: Duration, Unset::Is("30s"), Nowhere;
    /// Read-only connections to an SQLite file.
    database_readers: Count, Unset::Is("8"), Nowhere;
    /// Connections to PostgreSQL.
    database_connections: Count, Unset::Is("16"), Nowhere;
    /// How long a unit of work waits for a connection to the database before its request gets 503.
    database_timeout: Duration, Unset::Is("3s"), Nowhere;
    /// How long a request waits for the database to answer before it gets 503; what was begun goes on.
    database_answer_timeout: Duration, Unset::Is("10s"), Nowhere;
    /// How long a client may take to send the head of a request, and again to send its body.
    request_timeout: Duration, Unset::Is("10s"), Nowhere;
    /// How long an idle connection of a client is kept.
    keep_alive: Duration, Unset::Is("30s"), Nowhere;
    /// How long requests and webhooks under way may take to finish when the server stops; 8s at most.
    shutdown_timeout: Duration, Unset::Is("8s"), Nowhere;
    /// Withdrawals and third-party payments that this server works on at a time.
    payout_workers: Count, Unset::Is("4"), Nowhere;

    /// Webhooks under way at a time in this server, over all endpoints; one endpoint never has more than 8.
    webhook_concurrency: Count, Unset::Is("256"), Nowhere;
    /// Threads that send them.
    webhook_threads: Option<Count>, Unset::Means("one per processor"), Nowhere;
    /// How long an endpoint has to accept a connection.
    webhook_connect_timeout: Duration, Unset::Is("5s"), Nowhere;
    /// How long an endpoint has for its whole answer; 20s at most.
    webhook_timeout: Duration, Unset::Is("15s"), Nowhere;
    /// PEM file of a private certificate authority, trusted for webhooks beside the public ones.
    webhook_ca_file: Option<PathBuf>, Unset::Means("public authorities alone"), Nowhere;
}

impl Config {
    /// Fees and limits.
    pub(crate) fn policy(&self) -> Policy {
        Policy {
            fees: FeeSchedule {
                pix: self.fees_pix,
                checkout: self.fees_checkout,
                boleto: self.fees_boleto,
                withdrawal: self.fees_withdrawal,
                bill_provider: self.fees_bill_provider,
                bill_service: self.fees_bill_service,
            },
            limits: Limits {
                per_transaction: self.limits_per_transaction,
                per_withdrawal: self.limits_withdrawal,
                withdrawals_per_day: self.limits_withdrawal_per_day,
            },
        }
    }

    /// The days on which banks work.
    pub(crate) fn calendar(&self) -> BankCalendar {
        BankCalendar::national().with(self.holidays.iter().cloned())
    }

    /// Where uploads are kept.
    pub(crate) fn files(&self) -> String {
        match &self.files_url {
            Some(url) => url.0.clone(),
            None => format!("file://{}", self.data_dir.join("files").display()),
        }
    }

    /// What the settings must be to each other.
    fn check(&self) -> Result<(), BadSetting> {
        self.policy().fees.check().map_err(BadSetting::together)?;
        let longest = [
            ("VINTEM_SHUTDOWN_TIMEOUT", self.shutdown_timeout, 8),
            // An attempt must end before its lease does.
            ("VINTEM_WEBHOOK_TIMEOUT", self.webhook_timeout, 20),
        ];
        for (name, given, seconds) in longest {
            if given > Duration::from_secs(seconds) {
                let reason = format!("{name} must be at most {seconds}s");
                return Err(BadSetting::together(reason));
            }
        }
        Ok(())
    }
}
