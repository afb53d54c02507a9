//! Reaching into a database behind the product's back, to make happen what only time or a fault can.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use vintem_tests::site::Site;

/// Runs SQL on an installation's database and returns the rows as lines, columns separated by `|`.
#[track_caller]
pub(crate) fn sql(site: &Site, statement: &str) -> String {
    try_sql(site, statement).unwrap_or_else(|error| panic!("{statement}: {error}"))
}

/// Runs SQL that the database may refuse.
pub(crate) fn try_sql(site: &Site, statement: &str) -> Result<String, String> {
    match site.database() {
        Some(database) => database
            .sql(statement)
            .map_err(|error| format!("{error:#}")),
        None => sqlite(&site.folder().join("data/vintem.db"), statement),
    }
}

/// Runs SQL on an SQLite file.
fn sqlite(file: &Path, statement: &str) -> Result<String, String> {
    static SHELL: Mutex<Option<SqliteShell>> = Mutex::new(None);
    let mut shell = SHELL.lock().unwrap_or_else(PoisonError::into_inner);
    shell
        .get_or_insert_with(SqliteShell::start)
        .run(file, statement)
}

/// A Python that runs SQL for as long as the tests: every Python has SQLite, whose own command line is one more package
/// to install, and starting one for each question takes longer than the things the tests look at.
struct SqliteShell {
    _process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl SqliteShell {
    const SCRIPT: &str = r"
import json, sqlite3, sys
for line in sys.stdin:
    file, statement = json.loads(line)
    try:
        connection = sqlite3.connect(file, timeout=30, isolation_level=None)
        rows = ['|'.join('' if v is None else str(v) for v in row) for row in connection.execute(statement)]
        connection.close()
        answer = [True, '\n'.join(rows)]
    except sqlite3.Error as error:
        answer = [False, str(error)]
    print(json.dumps(answer), flush=True)
";

    fn start() -> Self {
        let mut process = Command::new("python3")
            .args(["-c", Self::SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 starts");
        let questions = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        Self {
            _process: process,
            questions,
            answers,
        }
    }

    fn run(&mut self, file: &Path, statement: &str) -> Result<String, String> {
        writeln!(self.questions, "{}", json!([file, statement])).unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        let text = answer[1].as_str().unwrap().to_owned();
        if answer[0] == true {
            Ok(text)
        } else {
            Err(text)
        }
    }
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
