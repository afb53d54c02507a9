//! The database opened and the ports of the domain on it, as every command that works on them needs.

use std::sync::Arc;

use data_encoding::BASE64;
use vintem_domain::ports::{Ids, Signals, Transact as _};
use vintem_domain::webhook::{Claimed, ServerId};
use vintem_domain::{Owner, SharedPorts};
use vintem_providers::stub::Stub;
use vintem_storage::{Database, Options, ServeLock};

use crate::adapter::{Argon2Passwords, MasterCipher, RandomIds, SystemClock};
use crate::config::{Config, MasterKey, Provider, StubSecret, Value as _};
use crate::failure::Failure;
use crate::secret_file::{self, Kept};

/// The name under which the database keeps what tells its master key from others.
const MASTER_KEY_CHECK: &str = "master_key_check";

/// Commands tell nobody: a running server looks for work by itself.
struct Silent;

impl Signals for Silent {
    fn deliveries_due(&self, _owner: Owner) {}

    fn take_place(&self, _owner: Owner) -> Option<ServerId> {
        None
    }

    fn fill_place(&self, _owner: Owner, _begun: Option<Claimed>) {}

    fn returns_due(&self) {}

    fn payouts_waiting(&self) {}
}

/// Opens the database, without touching it.
pub(crate) fn open(config: &Config) -> Result<Database, Failure> {
    let options = Options {
        readers: u32::from(config.database_readers.0),
        connections: u32::from(config.database_connections.0),
        connection_timeout: config.database_timeout,
        ..Options::default()
    };
    Ok(Database::open(&config.database_url.0, &options)?)
}

/// The ports on a migrated database, for a command.
pub(crate) fn for_command(config: &Config) -> Result<SharedPorts, Failure> {
    let database = open(config)?;
    database.migrate()?;
    Installation::new(config, database, Arc::new(Silent)).map(|installation| installation.ports)
}

/// A database with everything the use cases need.
pub(crate) struct Installation {
    /// What use cases need.
    pub(crate) ports: SharedPorts,
    /// The same database, for what only servers ask of it.
    pub(crate) database: Arc<Database>,
    /// The play bank, for its own routes.
    pub(crate) stub: Arc<Stub>,
    /// The master key was generated, now or at an earlier start.
    pub(crate) master_key_generated: bool,
}

impl Installation {
    /// Puts the ports together on a migrated database.
    ///
    /// # Errors
    /// Another master key than the one the database was begun with.
    pub(crate) fn new(
        config: &Config,
        database: Database,
        signals: Arc<dyn Signals>,
    ) -> Result<Self, Failure> {
        let database = Arc::new(database);
        let ids = Arc::new(RandomIds::new());
        let cipher = Arc::new(checked_cipher(config, &database, &*ids)?);
        let clock = Arc::new(SystemClock);
        let calendar = Arc::new(config.calendar());
        let stub = Stub::new(database.clone(), clock.clone()).with_calendar(calendar.clone());
        let stub = Arc::new(stub);
        let live = match config.provider {
            Provider::Stub => stub.clone(),
        };
        let ports = SharedPorts {
            store: database.clone(),
            clock,
            ids,
            cipher,
            passwords: Arc::new(Argon2Passwords),
            sandbox_provider: stub.clone(),
            live_provider: live,
            signals,
            policy: Arc::new(config.policy()),
            calendar,
        };
        Ok(Self {
            ports,
            database,
            stub,
            master_key_generated: config.master_key.is_none(),
        })
    }
}

/// The cipher of the master key, once the database has agreed that it is the right one.
fn checked_cipher(
    config: &Config,
    database: &Database,
    ids: &dyn Ids,
) -> Result<MasterCipher, Failure> {
    let path = config.data_dir.join("master.key");
    let (key, made) = if let Some(key) = &config.master_key {
        (key.clone(), false)
    } else {
        let Kept { text, made } = secret_file::kept_or_new(&path, || BASE64.encode(&ids.random()))?;
        let key = MasterKey::read(&text)
            .map_err(|reason| Failure::failed(format!("{}: {reason}", path.display())))?;
        (key, made)
    };
    let cipher = MasterCipher::new(&key);
    let ours = cipher.check_value();
    let kept = database.transact(|tx| tx.keep_first(MASTER_KEY_CHECK, &ours))?;
    if kept == ours {
        return Ok(cipher);
    }
    let shown = path.display();
    if made {
        // It opens nothing, and would only stand in the way of the right one.
        let _ = std::fs::remove_file(&path);
        return Err(Failure::failed(format!(
            "the master key of this database is missing: set VINTEM_MASTER_KEY or put it back as {shown}"
        )));
    }
    let source = match config.master_key {
        Some(_) => "VINTEM_MASTER_KEY".to_owned(),
        None => format!("{shown} (VINTEM_MASTER_KEY is not set)"),
    };
    Err(Failure::failed(format!(
        "{source} is not the master key this database was begun with"
    )))
}

/// The secret of the play bank's routes.
pub(crate) fn stub_secret(config: &Config) -> Result<String, Failure> {
    if let Some(StubSecret(secret)) = &config.stub_secret {
        return Ok(secret.clone());
    }
    let path = config.data_dir.join("stub.secret");
    let fresh = || {
        data_encoding::BASE32_NOPAD
            .encode(&RandomIds::new().random())
            .to_lowercase()
    };
    Ok(secret_file::kept_or_new(&path, fresh)?.text)
}

/// Claims the database file for one server; servers share PostgreSQL.
pub(crate) fn lock(database: &Database) -> Result<Option<ServeLock>, Failure> {
    database.serve_lock().map_err(Failure::failed)
}
