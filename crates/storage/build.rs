//! Rebuilds the crate when a migration is added: `embed_migrations!` alone does not notice new folders.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations/sqlite");
    println!("cargo:rerun-if-changed=../../migrations/postgres");
}
