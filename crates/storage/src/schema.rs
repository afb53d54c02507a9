//! The tables as both databases have them. Kept by hand; the contract suite writes and reads every one on both.

diesel::table! {
    readiness (id) {
        id -> BigInt,
        probes -> BigInt,
    }
}
