# make run · make test · make simulate · make fuzz · make check · make audit · make bench
.PHONY: run test simulate fuzz check audit bench toolchain tools

# Where cargo builds; a `CARGO_TARGET_DIR` from outside is respected.
TARGET := $(or $(CARGO_TARGET_DIR),target)

# Builds the release binary and serves on the embedded SQLite, http://127.0.0.1:8080 unless VINTEM_LISTEN says otherwise.
run: toolchain
	cargo build --release --locked -p vintem-server
	@exec $(TARGET)/release/vintem serve

# All tests, on SQLite and on a throw-away PostgreSQL (VINTEM_TEST_DATABASE_URL uses an existing server instead).
# One build makes the tests and the binary that the black-box suite drives. Most tests wait more than they compute.
test: toolchain tools
	cargo build --locked --workspace --all-targets
	RUST_TEST_THREADS=$${RUST_TEST_THREADS:-4} cargo test --locked --workspace --no-fail-fast

# Random worlds on the rules: merchants, payers, a bank that misbehaves, processes that die. SEEDS= and STEPS= say how many,
# SEED= tells one of them step by step in words.
simulate: toolchain
	@SEED=$(SEED) SEEDS=$(or $(SEEDS),10000) STEPS=$(STEPS) cargo test --quiet --locked -p vintem-domain --features memory \
		--test simulation -- --exact --nocapture whatever_happens_the_money_of_the_world_adds_up

# Generated texts on the parsers, ten minutes each. PARSER= names one of them, SECONDS= says how long, SEED= which texts.
fuzz: toolchain
	cargo run --release --locked -p vintem-domain --example fuzz_parsers -- \
		$(or $(PARSER),all) --seconds $(or $(SECONDS),600) --seed $(or $(SEED),1)

# What every change must pass.
check: toolchain
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --workspace
	@$(MAKE) --no-print-directory test

# Licences, advisories and sources of all dependencies, and dependencies nobody uses. Compiles its tools when missing.
audit: toolchain
	@command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	@command -v cargo-machete >/dev/null || cargo install --locked cargo-machete
	cargo deny check
	cargo machete

# Puts the release binary under load on both databases, prints the figures and keeps them in docs/performance.md, in less
# than eight minutes; on an otherwise idle machine. BENCH=--quick takes a look in one, BENCH="create delay" takes rows.
BENCH ?= --keep docs/performance.md
bench: toolchain tools
	cargo build --release --locked -p vintem-server
	cargo build --release --locked -p vintem-bench
	@$(TARGET)/release/vintem-bench $(BENCH)

toolchain:
	@command -v cargo >/dev/null || { echo "vintem needs a Rust toolchain (1.92 or newer): see https://rustup.rs" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "vintem needs a C compiler named cc: on Debian, apt-get install build-essential" >&2; exit 1; }

# The programs the tests drive: installed when we may, named otherwise.
tools:
	@missing=; \
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || missing="$$missing postgresql"; \
	command -v zbarimg >/dev/null || missing="$$missing zbar-tools"; \
	command -v pdftoppm >/dev/null || missing="$$missing poppler-utils"; \
	command -v ZXingReader >/dev/null || missing="$$missing zxing-cpp-tools"; \
	command -v openssl >/dev/null || missing="$$missing openssl"; \
	command -v curl >/dev/null || missing="$$missing curl"; \
	command -v python3 >/dev/null || missing="$$missing python3"; \
	command -v node >/dev/null || missing="$$missing nodejs"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		export DEBIAN_FRONTEND=noninteractive; \
		apt-get update -qq && apt-get install -qq -y --no-install-recommends $$missing </dev/null; \
	else \
		echo "The tests need these Debian packages, please install them:$$missing" >&2; exit 1; \
	fi
