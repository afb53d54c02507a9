//! What only the embedded database promises.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use diesel::sql_types::Text;
use diesel::sqlite::SqliteConnection;
use diesel::{Connection, QueryableByName, RunQueryDsl, sql_query};
use vintem_domain::ports::Transact;
use vintem_storage::{Kind, Options};

use crate::fixtures::{account, kept_account};
use crate::scene::{Backend, Scene, open};

fn path(scene: &Scene) -> PathBuf {
    let (_, url) = scene.database.as_ref().unwrap();
    url.strip_prefix("sqlite://").unwrap().into()
}

#[test]
fn a_backup_is_one_moment_of_a_database_in_use() {
    let scene = Scene::alone(Backend::Sqlite);
    let (database, url) = scene.database.as_ref().unwrap();
    let before = kept_account(scene.store());
    let copy = path(&scene).with_file_name("copy.db");
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                kept_account(scene.store());
            }
        });
        database.backup(&copy).unwrap();
        stop.store(true, Ordering::Relaxed);
    });
    let copied = open(&format!("sqlite://{}", copy.display()));
    copied.check_ready().unwrap();
    let read = Transact::read(&copied, |read| read.account(before.id)).unwrap();
    assert_eq!(read, Some(before));
    assert_ne!(url, copy.to_str().unwrap());
}

#[test]
fn a_backup_overwrites_nothing_and_a_failed_one_leaves_nothing() {
    let scene = Scene::alone(Backend::Sqlite);
    let (database, _) = scene.database.as_ref().unwrap();
    let taken = path(&scene).with_file_name("taken");
    std::fs::write(&taken, "precious").unwrap();
    let failure = database.backup(&taken).unwrap_err();
    assert_eq!(failure.kind(), Kind::Setting);
    assert_eq!(std::fs::read(&taken).unwrap(), b"precious");
    let nowhere = path(&scene).with_file_name("nowhere").join("copy.db");
    assert!(database.backup(&nowhere).is_err());
    let names: Vec<_> = std::fs::read_dir(path(&scene).parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().contains("partial"))
    );
}

#[test]
fn a_file_is_served_by_one_server_at_a_time() {
    let scene = Scene::alone(Backend::Sqlite);
    let (database, url) = scene.database.as_ref().unwrap();
    let held = database.serve_lock().unwrap();
    assert!(held.is_some());
    let failure = open(url).serve_lock().unwrap_err();
    assert!(failure.to_string().contains("already being served"));
    drop(held);
    assert!(open(url).serve_lock().unwrap().is_some());
}

#[cfg(unix)]
#[test]
fn a_file_behind_a_link_is_served_by_one_server_at_a_time() {
    use std::os::unix::fs::symlink;
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name);
    std::fs::create_dir(path("real")).unwrap();
    symlink(path("real"), path("folder")).unwrap();
    // Both lead to a file that is not there yet.
    symlink("folder/vintem.db", path("file.db")).unwrap();
    symlink("file.db", path("link.db")).unwrap();
    let url = |name: &str| format!("sqlite://{}", path(name).display());
    let served = open(&url("link.db"));
    let _held = served.serve_lock().unwrap();
    for name in ["real/vintem.db", "folder/vintem.db", "file.db", "link.db"] {
        let failure = open(&url(name)).serve_lock().unwrap_err();
        assert!(failure.to_string().contains("already being served"));
    }
    served.migrate().unwrap();
    let mut names: Vec<_> = std::fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["file.db", "folder", "link.db", "real"]);
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_are_told() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("vintem.db");
    std::os::unix::fs::symlink(&path, &path).unwrap();
    let url = format!("sqlite://{}", path.display());
    let failure = vintem_storage::Database::open(&url, &Options::default());
    assert!(
        failure
            .err()
            .unwrap()
            .to_string()
            .contains("does not lead to a file")
    );
}

#[cfg(unix)]
#[test]
fn what_is_made_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("made");
    let database = open(&format!("sqlite://{}/vintem.db", folder.display()));
    database.migrate().unwrap();
    let _lock = database.serve_lock().unwrap();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 5, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn a_missing_folder_is_made_and_a_bad_path_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a/b/c.db");
    open(&format!("sqlite://{}", deep.display()))
        .migrate()
        .unwrap();
    let blocked = folder.path().join("a/b/c.db/d.db");
    let url = format!("sqlite://{}", blocked.display());
    let failure = vintem_storage::Database::open(&url, &Options::default());
    assert!(failure.err().unwrap().to_string().contains("d.db"));
}

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Of the program SQLite makes of a statement.
#[derive(QueryableByName)]
struct Step {
    #[diesel(sql_type = Text)]
    opcode: String,
}

#[test]
fn no_row_costs_a_temporary_table_to_check() {
    let scene = Scene::alone(Backend::Sqlite);
    let mut connection = SqliteConnection::establish(path(&scene).to_str().unwrap()).unwrap();
    let ours = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%'";
    let tables: Vec<Table> = sql_query(ours).load(&mut connection).unwrap();
    assert!(tables.iter().any(|table| table.name == "charges"));
    for Table { name: table } in tables {
        let insert = format!("EXPLAIN INSERT INTO {table} DEFAULT VALUES");
        let steps: Vec<Step> = sql_query(insert).load(&mut connection).unwrap();
        assert!(
            steps.iter().all(|step| step.opcode != "OpenEphemeral"),
            "{table}"
        );
    }
}

/// The name under which the test binary runs itself as a second process.
const SECOND_PROCESS: &str = "VINTEM_TEST_SECOND_WRITER";

#[test]
fn two_processes_write_to_one_file() {
    const EACH: usize = 60;
    if let Ok(url) = std::env::var(SECOND_PROCESS) {
        let database = open(&url);
        database.migrate().unwrap();
        for _ in 0..EACH {
            // Identifiers of this process would repeat those of the other.
            let mut account = account();
            account.id.0 = vintem_domain::id::Ulid::from_parts(
                u64::from(std::process::id()),
                account.id.0.random(),
            );
            database.transact(|tx| tx.insert_account(&account)).unwrap();
        }
        return;
    }
    let scene = Scene::alone(Backend::Sqlite);
    let (_, url) = scene.database.as_ref().unwrap();
    let mut second = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sqlite::two_processes_write_to_one_file"])
        .env(SECOND_PROCESS, url)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..EACH {
                    kept_account(scene.store());
                }
            });
        }
    });
    assert!(second.wait().unwrap().success());
    let all = scene.store().read(|read| read.accounts()).unwrap();
    assert_eq!(all.len(), 5 * EACH);
}
