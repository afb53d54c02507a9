//! A store to test, and what has to be kept while it is in use.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use vintem_domain::memory::MemoryStore;
use vintem_domain::ports::Store;
use vintem_storage::{Database, Options};
use vintem_tests::postgres;

/// What a promise is tested on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backend {
    Memory,
    Sqlite,
    Postgres,
}

/// An empty store, or the one that the promises of this process share: they keep apart by account.
pub(crate) struct Scene {
    pub(crate) store: Arc<dyn Store>,
    /// The store as a database, and its address; none in memory.
    pub(crate) database: Option<(Arc<Database>, String)>,
    /// What is removed with the scene, or with this process.
    _kept: Option<Box<dyn Any + Send + Sync>>,
}

impl Scene {
    /// A store that other promises use too.
    pub(crate) fn shared(backend: Backend) -> &'static Self {
        static MEMORY: OnceLock<Scene> = OnceLock::new();
        static SQLITE: OnceLock<Scene> = OnceLock::new();
        static POSTGRES: OnceLock<Scene> = OnceLock::new();
        let slot = match backend {
            Backend::Memory => &MEMORY,
            Backend::Sqlite => &SQLITE,
            Backend::Postgres => &POSTGRES,
        };
        slot.get_or_init(|| Self::make(backend, true))
    }

    /// A store of its own, for promises about everything in it.
    pub(crate) fn alone(backend: Backend) -> Self {
        Self::make(backend, false)
    }

    fn make(backend: Backend, for_ever: bool) -> Self {
        match backend {
            Backend::Memory => Self {
                store: Arc::new(MemoryStore::new()),
                database: None,
                _kept: None,
            },
            Backend::Sqlite => {
                let folder = tempfile::tempdir().unwrap();
                let url = format!("sqlite://{}/test.db", folder.path().display());
                Self::on(url, Box::new(folder))
            }
            Backend::Postgres => {
                let database = postgres::Database::create().unwrap();
                let watchdog = for_ever.then(|| database.drop_at_exit().unwrap());
                let url = database.url().to_owned();
                Self::on(url, Box::new((database, watchdog)))
            }
        }
    }

    fn on(url: String, kept: Box<dyn Any + Send + Sync>) -> Self {
        let database = Arc::new(open(&url));
        database.migrate().unwrap();
        Self {
            store: Arc::clone(&database) as Arc<dyn Store>,
            database: Some((database, url)),
            _kept: Some(kept),
        }
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }
}

/// Opens a database with the sizes of a test.
pub(crate) fn open(url: &str) -> Database {
    let options = Options {
        connections: 8,
        readers: 4,
        ..Options::default()
    };
    Database::open(url, &options).unwrap()
}

/// Makes a test of each promise for each backend; they share a store.
macro_rules! promises {
    ($($name:ident),+ $(,)?) => {
        $crate::scene::promises!(shared, [in_memory Memory, on_sqlite Sqlite, on_postgres Postgres], $($name),+);
    };
    (alone: $($name:ident),+ $(,)?) => {
        $crate::scene::promises!(alone, [in_memory Memory, on_sqlite Sqlite, on_postgres Postgres], $($name),+);
    };
    (of databases: $($name:ident),+ $(,)?) => {
        $crate::scene::promises!(alone, [on_sqlite Sqlite, on_postgres Postgres], $($name),+);
    };
    ($which:ident, $backends:tt, $($name:ident),+) => {
        $($crate::scene::promises!(@one $which, $name, $backends);)+
    };
    (@one $which:ident, $name:ident, [$($test:ident $backend:ident),+]) => {
        mod $name {
            $(#[test]
            fn $test() {
                use std::borrow::Borrow;
                let scene = $crate::scene::Scene::$which($crate::scene::Backend::$backend);
                super::$name(scene.borrow());
            })+
        }
    };
}
pub(crate) use promises;
