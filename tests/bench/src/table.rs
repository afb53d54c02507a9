//! The table that is printed, as Markdown.

/// A figure and what stands beside it.
pub(crate) struct Row {
    /// What was measured.
    pub(crate) what: String,
    /// The figure.
    pub(crate) figure: String,
    /// What it should be, and whether it is; `None` where nothing is asked.
    pub(crate) goal: Option<Goal>,
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
            wanted: format!("≥ {wanted}"),
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
        "| What | Figure | Goal | How it was measured |".to_owned(),
        "|---|---|---|---|".to_owned(),
    ];
    lines.extend(rows.iter().map(|row| {
        let goal = row.goal.as_ref().map_or(String::new(), |goal| {
            format!("{} {}", goal.wanted, if goal.met { "✓" } else { "✗" })
        });
        format!("| {} | {} | {goal} | {} |", row.what, row.figure, row.how)
    }));
    lines.join("\n")
}
