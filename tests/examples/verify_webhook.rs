//! `SECRET=whsec_... verify_webhook 't=1790000000,v1=...' < body.json`

use std::io::{self, Read};
use std::process::ExitCode;
use std::time::UNIX_EPOCH;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// How far the sender's and the receiver's clocks may be apart, travel time included.
const TOLERANCE_SECONDS: u64 = 300;

/// Whether the signature proves that the body comes from somebody who knows the secret.
fn is_genuine(secret: &str, signature: &str, body: &[u8], unix_seconds: u64) -> bool {
    let parts = signature
        .strip_prefix("t=")
        .and_then(|rest| rest.split_once(",v1="));
    let Some((t, digest)) = parts else {
        return false;
    };
    let (Ok(signed_at), Ok(digest)) = (t.parse(), HEXLOWER.decode(digest.as_bytes())) else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return false;
    };
    mac.update(t.as_bytes());
    mac.update(b".");
    mac.update(body);
    // Compares in constant time.
    mac.verify_slice(&digest).is_ok() && unix_seconds.abs_diff(signed_at) <= TOLERANCE_SECONDS
}

fn main() -> io::Result<ExitCode> {
    let secret = std::env::var("SECRET").unwrap_or_default();
    let signature = std::env::args().nth(1).unwrap_or_default();
    let mut body = Vec::new();
    io::stdin().read_to_end(&mut body)?;
    let now = UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
    if is_genuine(&secret, &signature, &body, now) {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("not genuine");
    Ok(ExitCode::FAILURE)
}
