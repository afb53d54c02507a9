//! Feeds the parsers of the crate with generated text, to show that none of them panics and that what they accept reads
//! back from what it is written as.
//!
//! ```text
//! cargo run --release -p vintem-domain --example fuzz_parsers -- PARSER|all [--seconds N | --iterations N] [--seed N]
//! ```
//!
//! Runs with the same seed generate the same texts. A text that breaks a promise is printed, and the program fails.

mod inputs;
mod parsers;
mod random;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use inputs::Inputs;
use parsers::{PARSERS, Parser};

/// How long a run is.
#[derive(Clone, Copy)]
enum Length {
    Iterations(u64),
    Time(Duration),
}

struct Order {
    parsers: Vec<&'static Parser>,
    length: Length,
    seed: u64,
}

fn main() -> ExitCode {
    let order = match read_arguments(std::env::args().skip(1)) {
        Ok(order) => order,
        Err(message) => {
            let names: Vec<&str> = PARSERS.iter().map(|parser| parser.name).collect();
            say(&format!(
                "{message}\nusage: fuzz_parsers PARSER|all [--seconds N | --iterations N] [--seed N]\nparsers: {}",
                names.join(", ")
            ));
            return ExitCode::from(2);
        }
    };
    let mut exit = ExitCode::SUCCESS;
    for parser in order.parsers {
        if !fuzz(parser, order.length, order.seed) {
            exit = ExitCode::FAILURE;
        }
    }
    exit
}

fn read_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Order, String> {
    let name = arguments.next().ok_or("no parser named")?;
    let parsers: Vec<_> = PARSERS
        .iter()
        .filter(|parser| name == "all" || name == parser.name)
        .collect();
    if parsers.is_empty() {
        return Err(format!("there is no parser {name}"));
    }
    let mut order = Order {
        parsers,
        length: Length::Iterations(1_000_000),
        seed: 1,
    };
    while let Some(option) = arguments.next() {
        let value = arguments.next().and_then(|value| value.parse().ok());
        let value: u64 = value.ok_or_else(|| format!("{option} needs a number"))?;
        match option.as_str() {
            "--seconds" => order.length = Length::Time(Duration::from_secs(value)),
            "--iterations" => order.length = Length::Iterations(value),
            "--seed" => order.seed = value,
            _ => return Err(format!("there is no option {option}")),
        }
    }
    Ok(order)
}

/// Runs one parser; whether it kept its promises.
fn fuzz(parser: &Parser, length: Length, seed: u64) -> bool {
    let mut inputs = Inputs::new(parser, seed);
    let began = Instant::now();
    let (mut texts, mut accepted) = (0_u64, 0_u64);
    while goes_on(length, texts, began) {
        let text = inputs.next();
        // A text is all that a parser sees, and it is not used afterwards: nothing half-changed is left behind.
        let answer = catch_unwind(AssertUnwindSafe(|| (parser.accepts)(&text)));
        texts += 1;
        match answer {
            Ok(is_accepted) => accepted += u64::from(is_accepted),
            Err(_panic) => {
                say(&format!(
                    "{}: broken by text {texts} of seed {seed}: {text:?}",
                    parser.name
                ));
                return false;
            }
        }
    }
    say(&format!(
        "{}: {texts} texts, {accepted} accepted, no promise broken, {} s, seed {seed}",
        parser.name,
        began.elapsed().as_secs()
    ));
    true
}

fn goes_on(length: Length, texts: u64, began: Instant) -> bool {
    match length {
        Length::Iterations(most) => texts < most,
        Length::Time(longest) => !texts.is_multiple_of(1_024) || began.elapsed() < longest,
    }
}

fn say(line: &str) {
    // Nobody is left to tell when standard output is closed.
    let _ = writeln!(std::io::stdout(), "{line}");
}
