//! The binary `vintem`: settings, command line, start-up, workers, shutdown. The only crate that knows all others.

mod adapter;
mod cli;
mod command;
mod config;
mod failure;
mod installation;
mod logging;
mod output;
mod secret_file;
mod serve;

use std::process::ExitCode;

use config::Given;
use failure::Failure;

fn main() -> ExitCode {
    let asked = match cli::ask(std::env::args_os()) {
        Ok(asked) => asked,
        // Help, the version, or what is wrong with the arguments: clap knows where each goes.
        Err(told) => told.exit(),
    };
    match run(asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::complain(&failure);
            failure.exit_code()
        }
    }
}

fn run(asked: cli::Asked) -> Result<(), Failure> {
    let line = asked.line;
    let config = Given::config(asked.flags, std::env::vars_os(), line.config.as_deref())?;
    logging::start(&config);
    command::run(line.command, &config)
}
