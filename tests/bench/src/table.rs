//! The table that is printed, as Markdown.

use crate::figures::grouped;

/// A figure and what stands beside it.
pub(crate) struct Row {
    /// What was measured.
    pub(crate) what: String,
    /// The figure.
    pub(crate) figure: String,
    /// What it should be, and whether it is; `None` where nothing is asked.
    pub(crate) goal: Option<Goal>,
    /// Where processor time went; empty where it says nothing.
    pub(crate) processors: String,
    /// How it was measured.
    pub(crate) how: String,
}

/// What a figure should be.
pub(crate) struct Goal {
    wanted: String,
    met: bool,
}

impl Goal {
    /// At least so much.
    pub(crate) fn at_least(figure: f64, wanted: f64) -> Self {
        Self {
            wanted: format!("≥ {}", plain(wanted)),
            met: figure >= wanted,
        }
    }

    /// Less than so much.
    pub(crate) fn below(figure: f64, wanted: f64, unit: &str) -> Self {
        Self {
            wanted: format!("< {wanted} {unit}"),
            met: figure < wanted,
        }
    }

    /// At most so much.
    pub(crate) fn at_most(figure: f64, wanted: f64) -> Self {
        Self {
            wanted: format!("≤ {wanted}"),
            met: figure <= wanted,
        }
    }

    /// Two goals as one.
    pub(crate) fn and(self, other: &Self) -> Self {
        Self {
            wanted: format!("{}, {}", self.wanted, other.wanted),
            met: self.met && other.met,
        }
    }
}

/// The table.
pub(crate) fn render(rows: &[Row]) -> String {
    let mut lines = vec![
        "| What | Figure | Goal | Processors: server + load + rest, server's time | How it was measured |"
            .to_owned(),
        "|---|---|---|---|---|".to_owned(),
    ];
    lines.extend(rows.iter().map(|row| {
        let goal = row.goal.as_ref().map_or(String::new(), |goal| {
            format!("{} {}", goal.wanted, if goal.met { "✓" } else { "✗" })
        });
        format!(
            "| {} | {} | {goal} | {} | {} |",
            row.what, row.figure, row.processors, row.how
        )
    }));
    lines.join("\n")
}

/// `0.6`, `3,626`
fn plain(value: f64) -> String {
    if value < 1_000.0 {
        value.to_string()
    } else {
        grouped(value)
    }
}
