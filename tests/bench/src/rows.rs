//! The rows of the table, a file each.

mod bank;
mod boleto;
mod create;
mod delay;
mod growth;
mod lifecycle;
mod messages;
mod parse;
mod payout;
mod pgbench;
mod process;
mod qrcode;

use anyhow::{Result, bail};

use crate::bench::Bench;
use crate::rail::Rail;
use crate::table::Row;

/// Their names, in the order of the table.
pub(crate) const NAMES: [&str; 13] = [
    "create",
    "pgbench",
    "lifecycle",
    "messages",
    "boleto",
    "withdrawal",
    "bill",
    "bank",
    "delay",
    "qrcode",
    "parse",
    "growth",
    "process",
];

/// Measures what goes by this name.
pub(crate) async fn measure(bench: &mut Bench, name: &str) -> Result<Vec<Row>> {
    match name {
        "create" => create::measure(bench).await,
        "pgbench" => pgbench::measure(bench).await,
        "lifecycle" => lifecycle::measure(bench).await,
        "messages" => messages::measure(bench).await,
        "boleto" => boleto::measure(bench).await,
        "withdrawal" => payout::measure(bench, Rail::Withdrawal).await,
        "bill" => payout::measure(bench, Rail::Bill).await,
        "bank" => bank::measure(bench).await,
        "delay" => delay::measure(bench).await,
        "qrcode" => qrcode::measure(),
        "parse" => parse::measure(),
        "growth" => growth::measure(bench).await,
        "process" => process::measure(bench).await,
        other => bail!("there is no row {other}"),
    }
}
