//! Filling a database with charges, faster than through the product: copies of one it made.

use anyhow::{Context, Result, bail, ensure};
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel::sqlite::SqliteConnection;
use diesel::{QueryableByName, sql_query};
use vintem_tests::site::Site;

use crate::wire::ChargeId;

/// The ids of seeded charges begin with a moment of 2025, before everything a run creates, and count.
const PREFIX: &str = "01K000000000";

/// The id of a seeded charge.
pub(crate) fn charge(number: usize) -> Result<ChargeId> {
    let id = format!("chg_{PREFIX}{number:014}");
    id.into_bytes()
        .try_into()
        .map_err(|_long| anyhow::anyhow!("charge {number} has no id"))
}

#[derive(QueryableByName)]
struct Column {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Copies the only charge of a database that no server serves, so that there are so many more.
pub(crate) fn charges(site: &Site, count: usize) -> Result<()> {
    if let Some(database) = site.database() {
        let columns = database.sql(
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'charges'",
        )?;
        let columns: Vec<&str> = columns.lines().collect();
        let numbers = format!("generate_series(1, {count}) AS n");
        let statement = insert(&columns, "lpad(n::text, 14, '0')", "md5(n::text)", &numbers)?;
        database.sql(&statement)?;
        database.sql("VACUUM ANALYZE charges")?;
        database.sql("CHECKPOINT")?;
        return Ok(());
    }
    let path = site.folder().join("data/vintem.db");
    let mut connection =
        SqliteConnection::establish(path.to_str().context("a path that is no text")?)?;
    let columns: Vec<Column> =
        sql_query("SELECT name FROM pragma_table_info('charges')").load(&mut connection)?;
    let columns: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let numbers = format!(
        "(WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < {count}) SELECT n FROM numbers)"
    );
    let statement = insert(
        &columns,
        "printf('%014d', n)",
        "lower(hex(randomblob(16)))",
        &numbers,
    )?;
    let copied = sql_query(statement).execute(&mut connection)?;
    ensure!(copied == count, "{copied} charges were copied");
    Ok(())
}

fn insert(columns: &[&str], number: &str, txid: &str, numbers: &str) -> Result<String> {
    if !columns.contains(&"id") || !columns.contains(&"txid") {
        bail!("the table of charges has neither id nor txid: {columns:?}");
    }
    let values: Vec<String> = columns
        .iter()
        .map(|column| match *column {
            "id" => format!("'{PREFIX}' || {number}"),
            "txid" => txid.to_owned(),
            other => format!("one.{other}"),
        })
        .collect();
    Ok(format!(
        "INSERT INTO charges ({}) SELECT {} FROM {numbers}, \
         (SELECT * FROM charges WHERE substr(id, 1, 12) <> '{PREFIX}' LIMIT 1) AS one",
        columns.join(", "),
        values.join(", ")
    ))
}
