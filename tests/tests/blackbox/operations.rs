//! What an operator relies on: start, settings, health, figures, shutdown, backup.

mod accounts;
mod backup;
mod bootstrap;
mod health;
mod settings;
mod shutdown;
