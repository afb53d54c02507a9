//! Which log lines are written, and how they look.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::Value;

/// Which log lines are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogFilter(String);

/// The crates whose lines a filter may name: ours, and those below that write any. A filter with another name, such as
/// a misspelled level, would switch all lines off in silence.
const LOGGING_CRATES: [&str; 19] = [
    "vintem",
    "vintem_domain",
    "vintem_http",
    "vintem_providers",
    "vintem_storage",
    "vintem_webhook",
    "actix_codec",
    "actix_http",
    "actix_router",
    "actix_rt",
    "actix_server",
    "actix_web",
    "diesel",
    "hyper",
    "hyper_util",
    "mio",
    "r2d2",
    "rustls",
    "tokio",
];

impl Value for LogFilter {
    fn read(text: &str) -> Result<Self, String> {
        let understood = EnvFilter::builder().parse(text).is_ok();
        let directives = text.split(',').filter(|directive| !directive.is_empty());
        let mut directives = directives.peekable();
        if understood && directives.peek().is_some() && directives.all(names_something) {
            return Ok(Self(text.to_owned()));
        }
        Err(
            "must be a level (error, warn, info, debug, trace) or a filter by crate such as info,vintem_webhook=debug"
                .to_owned(),
        )
    }
}

/// Whether a directive is a level, or is about a crate that writes lines, or about a span in any.
fn names_something(directive: &str) -> bool {
    let target = directive.split(['[', '=']).next().unwrap_or_default();
    let is_level = target == directive && target.parse::<LevelFilter>().is_ok();
    let of_crate = target.split("::").next().unwrap_or_default();
    is_level || target.is_empty() || LOGGING_CRATES.contains(&of_crate)
}

impl LogFilter {
    /// The filter itself. What the web server's own parts say at level info is noise, unless it is asked for by name.
    pub(crate) fn filter(&self) -> EnvFilter {
        EnvFilter::builder().parse_lossy(format!("actix_server=warn,{}", self.0))
    }
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Value for LogFormat {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err("must be text or json".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_names_levels_and_crates_that_log() {
        for fits in [
            "info",
            "WARN",
            "off",
            "info,vintem_webhook=debug",
            "warn,actix_server=info",
            "vintem=trace",
            "vintem_webhook::lanes",
            "debug,[request{id=a}]=trace",
            "vintem_http[request]=debug",
        ] {
            assert!(LogFilter::read(fits).is_ok(), "{fits}");
        }
        // What is no level would be taken for a module, and all the others would fall silent.
        for misspelled in [
            "",
            ",",
            "inof",
            "information",
            "info,vintem_webhok=debug",
            "info,webhook=debug",
            "vintem_webhook=debog",
            "serve::vintem=debug",
        ] {
            assert!(LogFilter::read(misspelled).is_err(), "{misspelled}");
        }
    }
}
