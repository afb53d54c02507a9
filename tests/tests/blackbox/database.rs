//! Reaching into a database behind the product's back, to make happen what only time or a fault can.

use std::process::Command;

use vintem_tests::site::Site;

/// Runs SQL on an installation's database and returns the rows as lines, columns separated by `|`.
#[track_caller]
pub(crate) fn sql(site: &Site, statement: &str) -> String {
    if let Some(database) = site.database() {
        return database
            .sql(statement)
            .unwrap_or_else(|error| panic!("{error:#}"));
    }
    // Every Python has SQLite; its command line is one more package to install.
    let script = "import sqlite3, sys\n\
        c = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)\n\
        for row in c.execute(sys.argv[2]): print('|'.join('' if v is None else str(v) for v in row))\n";
    let mut python = Command::new("python3");
    python
        .args(["-c", script])
        .arg(site.folder().join("data/vintem.db"))
        .arg(statement);
    let output = python.output().expect("python3 starts");
    assert!(
        output.status.success(),
        "{statement}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}

/// Moves the end of a key's validity into the past.
pub(crate) fn expire_key(site: &Site, id: &str) {
    let bare = bare(id);
    sql(
        site,
        &format!("UPDATE api_keys SET expires_at = 1000 WHERE id = '{bare}'"),
    );
}

/// An id without its prefix, as the database has it.
pub(crate) fn bare(id: &str) -> &str {
    id.rsplit('_').next().unwrap_or(id)
}
