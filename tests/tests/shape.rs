//! The shape of the workspace: who may know whom, what lies at the top, and how long a file may be.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "the helpers of tests fail the test that calls them"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// Long enough for any one thought; where a file grows beyond, it holds two.
const LONGEST_FILE: usize = 600;

/// What would bring input, output, a clock or randomness into the rules.
const FOREIGN_TO_RULES: [&str; 16] = [
    "actix-web",
    "async-trait",
    "chrono",
    "diesel",
    "futures",
    "futures-util",
    "getrandom",
    "hyper",
    "libsqlite3-sys",
    "mio",
    "pq-sys",
    "rand",
    "reqwest",
    "socket2",
    "tokio",
    "uuid",
];

fn metadata() -> Metadata {
    // Other platforms' packages are not downloaded where only this one is built.
    let host = Command::new("rustc")
        .arg("-vV")
        .output()
        .expect("rustc starts");
    let host = String::from_utf8(host.stdout).expect("rustc writes UTF-8");
    let host = host
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .expect("rustc names its host");
    MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .other_options(["--offline", "--locked", "--filter-platform", host].map(str::to_owned))
        .exec()
        .expect("cargo knows the workspace")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The members a package depends on, tests aside.
fn members_known_to(package: &Package) -> BTreeSet<&str> {
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind != DependencyKind::Development)
        .map(|dependency| dependency.name.as_str())
        .filter(|name| name.starts_with("vintem-"))
        .collect()
}

#[test]
fn the_rules_know_nobody_and_adapters_know_the_rules_alone() {
    let metadata = metadata();
    let mut seen = BTreeSet::new();
    for package in metadata.workspace_packages() {
        let known = members_known_to(package);
        let allowed: BTreeSet<&str> = match package.name.as_str() {
            "vintem-domain" | "vintem-tests" => BTreeSet::new(),
            "vintem-storage" | "vintem-providers" | "vintem-webhook" | "vintem-http" => {
                ["vintem-domain"].into()
            }
            "vintem-server" => [
                "vintem-domain",
                "vintem-storage",
                "vintem-providers",
                "vintem-webhook",
                "vintem-http",
            ]
            .into(),
            "vintem-bench" => continue,
            other => panic!("{other} has no place in docs/architecture.md"),
        };
        assert_eq!(
            known, allowed,
            "{} depends on more or less than it may",
            package.name
        );
        seen.insert(package.name.to_string());
    }
    for name in [
        "domain",
        "storage",
        "providers",
        "webhook",
        "http",
        "server",
        "tests",
    ] {
        assert!(
            seen.contains(&format!("vintem-{name}")),
            "vintem-{name} is missing"
        );
    }
}

#[test]
fn nothing_but_the_server_knows_an_adapter() {
    for package in metadata().workspace_packages() {
        // The load generator puts the HTTP side alone beside the whole server.
        if ["vintem-server", "vintem-bench"].contains(&package.name.as_str()) {
            continue;
        }
        // Tests included: an adapter is tested against the ports, not against another adapter.
        for dependency in &package.dependencies {
            let adapter = matches!(
                dependency.name.as_str(),
                "vintem-storage"
                    | "vintem-providers"
                    | "vintem-webhook"
                    | "vintem-http"
                    | "vintem-server"
            );
            assert!(!adapter, "{} depends on {}", package.name, dependency.name);
        }
    }
}

/// Everything a package is built from when it is built alone, tests aside.
fn built_from(name: &str) -> BTreeSet<String> {
    // `cargo metadata` would answer for the features that the whole workspace asks for together.
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--package",
            name,
        ])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(
        tree.status.success(),
        "{}",
        String::from_utf8_lossy(&tree.stderr)
    );
    let tree = String::from_utf8(tree.stdout).expect("cargo writes UTF-8");
    tree.lines()
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_rules_are_built_without_input_and_output() {
    let built = built_from("vintem-domain");
    assert!(
        built.contains("time") && built.contains("ulid"),
        "the graph is read: {built:?}"
    );
    for name in FOREIGN_TO_RULES {
        assert!(!built.contains(name), "vintem-domain is built from {name}");
    }
}

#[test]
fn the_rules_read_no_clock_file_socket_or_environment() {
    for file in rust_files(&root().join("crates/domain/src")) {
        for (number, line) in read(&file).lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for word in [
                "std::fs",
                "std::net",
                "std::env",
                "std::process",
                "std::time::SystemTime",
                "std::time::Instant",
                "std::thread",
            ] {
                assert!(
                    !code.contains(word),
                    "{}:{}: {word}",
                    file.display(),
                    number + 1
                );
            }
        }
    }
}

#[test]
fn the_top_folder_holds_what_the_architecture_names() {
    let allowed = [
        "Cargo.lock",
        "Cargo.toml",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "Makefile",
        "README.md",
        "clippy.toml",
        "crates",
        "deny.toml",
        "docs",
        "migrations",
        "rust-toolchain.toml",
        "tests",
        // What a run leaves behind and git ignores.
        "data",
        "target",
        "vintem.toml",
    ];
    for entry in fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name.starts_with('.') || allowed.contains(&name.as_str()),
            "{name} lies at the top"
        );
    }
    let crates: BTreeSet<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected = [
        "domain",
        "http",
        "providers",
        "server",
        "storage",
        "webhook",
    ];
    assert_eq!(crates, expected.map(str::to_owned).into());
}

#[test]
fn no_source_file_is_too_long_to_read() {
    let mut checked = 0;
    for folder in ["crates", "tests/src", "tests/tests", "tests/bench"] {
        for file in rust_files(&root().join(folder)) {
            let lines = read(&file).lines().count();
            assert!(
                lines <= LONGEST_FILE,
                "{} has {lines} lines",
                file.display()
            );
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked} files");
}

#[test]
fn no_file_is_named_after_nothing() {
    for file in rust_files(&root().join("crates")) {
        let name = file.file_stem().unwrap().to_str().unwrap();
        assert!(
            ![
                "utils", "util", "helpers", "helper", "types", "models", "common", "misc"
            ]
            .contains(&name),
            "{}",
            file.display()
        );
    }
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}
