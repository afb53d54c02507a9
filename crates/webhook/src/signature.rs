//! Proves to the receiver that a webhook comes from us, unchanged.
//!
//! Two families of headers say the same: our own (`X-Svc-*`) and those of the Standard Webhooks specification, so that a
//! receiver may verify with four lines of code or with a stock library. For a day after the secret was rolled the old
//! one signs beside the new one, so that a receiver can change over without losing an event.

use std::fmt;

use bytes::Bytes;
use data_encoding::{BASE64, HEXLOWER};
use hmac::{Hmac, KeyInit, Mac};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use sha2::Sha256;

/// Carries the secret itself, for a quick equality check.
pub const SECRET_HEADER: HeaderName = HeaderName::from_static("x-svc-webhook-secret");
/// Carries `t=<unix seconds>,v1=<hex digest>` by the current secret.
pub const SIGNATURE_HEADER: HeaderName = HeaderName::from_static("x-svc-signature");
/// The same by the secret before the last roll, for a day after it.
pub const PREVIOUS_SIGNATURE_HEADER: HeaderName =
    HeaderName::from_static("x-svc-signature-previous");
/// Standard Webhooks: the id of the event.
pub const STANDARD_ID_HEADER: HeaderName = HeaderName::from_static("webhook-id");
/// Standard Webhooks: Unix seconds of this attempt.
pub const STANDARD_TIMESTAMP_HEADER: HeaderName = HeaderName::from_static("webhook-timestamp");
/// Standard Webhooks: one or two `v1,<base64>` entries.
pub const STANDARD_SIGNATURE_HEADER: HeaderName = HeaderName::from_static("webhook-signature");

const SECRET_PREFIX: &str = "whsec_";
const REDACTED: &str = "whsec_[redacted]";

type HmacSha256 = Hmac<Sha256>;

/// The secret is not `whsec_` followed by base64. It says nothing of the secret itself, so it may be logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadSecret;

impl fmt::Display for BadSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the webhook secret is not whsec_ and base64")
    }
}

impl std::error::Error for BadSecret {}

/// Signs for one endpoint. The keys are scheduled once, so one of these is worth keeping as long as the secret lives.
pub struct Signer {
    current: Key,
    previous: Option<Key>,
}

struct Key {
    /// What goes into the header of the quick check.
    header: HeaderValue,
    /// How the secret may stand in an answer that echoes it: as it is, JSON escaped, percent-encoded.
    spellings: Vec<String>,
    /// Keyed with the whole string.
    by_text: HmacSha256,
    /// Keyed with the decoded bytes, as Standard Webhooks wants it.
    by_bytes: HmacSha256,
}

impl Signer {
    /// Prepares the keys: the secret, and the one before the last roll while it still signs. `BadSecret` when one of them
    /// is not `whsec_` and base64.
    pub fn parse(current: &str, previous: Option<&str>) -> Result<Self, BadSecret> {
        Ok(Self {
            current: Key::parse(current)?,
            previous: previous.map(Key::parse).transpose()?,
        })
    }

    /// Adds every signature header for this body, sent at `unix_seconds`.
    pub(crate) fn sign(
        &self,
        headers: &mut HeaderMap,
        event_id: HeaderValue,
        unix_seconds: i64,
        body: &[u8],
    ) {
        let t = unix_seconds.to_string();
        headers.insert(SECRET_HEADER, self.current.header.clone());
        insert(headers, SIGNATURE_HEADER, self.current.own(&t, body));
        let mut standard = String::with_capacity(96);
        self.current
            .standard(&mut standard, event_id.as_bytes(), &t, body);
        if let Some(key) = &self.previous {
            insert(headers, PREVIOUS_SIGNATURE_HEADER, key.own(&t, body));
            standard.push(' ');
            key.standard(&mut standard, event_id.as_bytes(), &t, body);
        }
        headers.insert(STANDARD_ID_HEADER, event_id);
        insert(headers, STANDARD_TIMESTAMP_HEADER, t);
        insert(headers, STANDARD_SIGNATURE_HEADER, standard);
    }

    /// Takes every spelling of a secret out of an answer, so that a receiver which echoes its headers does not write
    /// the secret into the delivery log.
    pub(crate) fn redact(&self, answer: String) -> String {
        self.spellings().fold(answer, |answer, spelling| {
            if answer.contains(spelling) {
                answer.replace(spelling, REDACTED)
            } else {
                answer
            }
        })
    }

    /// The longest spelling of a secret: what has to be read beyond an edge so that no secret is cut in two by it.
    pub(crate) fn longest_spelling(&self) -> usize {
        self.spellings().map(str::len).max().unwrap_or(0)
    }

    fn spellings(&self) -> impl Iterator<Item = &str> {
        let keys = std::iter::once(&self.current).chain(&self.previous);
        keys.flat_map(|key| key.spellings.iter().map(String::as_str))
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Signer")
    }
}

impl Key {
    fn parse(secret: &str) -> Result<Self, BadSecret> {
        let encoded = secret.strip_prefix(SECRET_PREFIX).ok_or(BadSecret)?;
        let bytes = BASE64
            .decode(encoded.as_bytes())
            .map_err(|_discloses_nothing| BadSecret)?;
        if bytes.is_empty() {
            return Err(BadSecret);
        }
        let mut header = HeaderValue::try_from(secret).map_err(|_discloses_nothing| BadSecret)?;
        header.set_sensitive(true);
        Ok(Self {
            header,
            spellings: spellings(secret),
            by_text: keyed(secret.as_bytes())?,
            by_bytes: keyed(&bytes)?,
        })
    }

    fn own(&self, t: &str, body: &[u8]) -> String {
        let mut mac = self.by_text.clone();
        mac.update(t.as_bytes());
        mac.update(b".");
        mac.update(body);
        let mut text = String::with_capacity(96);
        text.push_str("t=");
        text.push_str(t);
        text.push_str(",v1=");
        HEXLOWER.encode_append(&mac.finalize().into_bytes(), &mut text);
        text
    }

    fn standard(&self, text: &mut String, event_id: &[u8], t: &str, body: &[u8]) {
        let mut mac = self.by_bytes.clone();
        mac.update(event_id);
        mac.update(b".");
        mac.update(t.as_bytes());
        mac.update(b".");
        mac.update(body);
        text.push_str("v1,");
        BASE64.encode_append(&mac.finalize().into_bytes(), text);
    }
}

fn keyed(key: &[u8]) -> Result<HmacSha256, BadSecret> {
    HmacSha256::new_from_slice(key).map_err(|_any_length_will_do| BadSecret)
}

fn spellings(secret: &str) -> Vec<String> {
    let escaped = secret.replace('/', "\\/");
    let encoded = secret
        .replace('+', "%2B")
        .replace('/', "%2F")
        .replace('=', "%3D");
    let mut all = vec![secret.to_owned(), escaped, encoded];
    all.dedup();
    all
}

/// Signatures are ASCII, so a value that cannot be a header does not arise; it would be left out.
fn insert(headers: &mut HeaderMap, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::from_maybe_shared(Bytes::from(value)) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use standardwebhooks::Webhook;
    use std::time::UNIX_EPOCH;

    /// `whsec_` and base64 of the bytes 0..=31, and of thirty-two 0xff.
    const CURRENT: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const OLD: &str = "whsec_//////////////////////////////////////////8=";
    const ID: &str = "evt_01J8ZQ4Y5N7V3K2M1R0T9W6X8A";
    const BODY: &[u8] = br#"{"id":"evt_01J8ZQ4Y5N7V3K2M1R0T9W6X8A","event":"pixQrCode.paid"}"#;
    const T: i64 = 1_790_000_000;

    fn rolled() -> Signer {
        Signer::parse(CURRENT, Some(OLD)).unwrap()
    }

    fn signed(signer: &Signer, unix_seconds: i64) -> HeaderMap {
        let mut headers = HeaderMap::new();
        signer.sign(
            &mut headers,
            HeaderValue::from_static(ID),
            unix_seconds,
            BODY,
        );
        headers
    }

    fn text(headers: &HeaderMap, name: &HeaderName) -> String {
        headers[name].to_str().unwrap().to_owned()
    }

    /// The digests were made with `openssl dgst -sha256 -hmac` and `-mac HMAC -macopt hexkey:`.
    #[test]
    fn the_headers_are_those_openssl_computes() {
        let headers = signed(&rolled(), T);
        let expected = [
            (SECRET_HEADER, CURRENT.to_owned()),
            (SIGNATURE_HEADER, format!("t={T},v1=7e934fc508e192115f742a170d19e389d0fb2e6a17738adde0d6f5feba3afbb2")),
            (PREVIOUS_SIGNATURE_HEADER, format!("t={T},v1=efcc9f7d4fcf0d64125460e732d702c8f9e9662b144c9494f5630154c01738d2")),
            (STANDARD_ID_HEADER, ID.to_owned()),
            (STANDARD_TIMESTAMP_HEADER, T.to_string()),
            (STANDARD_SIGNATURE_HEADER, "v1,okfDs3q37FRtXbJyYWkF2ZkcaAlXvGUXJwTyTJEqAxk= v1,gxJHgBeN3VxnIIZtQGZc6+GKJ0e6cIaMYWOHk+a1XU0=".to_owned()),
        ];
        for (name, value) in expected {
            assert_eq!(text(&headers, &name), value, "{name}");
        }
    }

    #[test]
    fn without_an_old_secret_there_is_one_signature_of_each_family() {
        let headers = signed(&Signer::parse(CURRENT, None).unwrap(), T);
        assert!(!headers.contains_key(PREVIOUS_SIGNATURE_HEADER));
        let standard = text(&headers, &STANDARD_SIGNATURE_HEADER);
        assert_eq!(standard.split(' ').count(), 1);
    }

    #[test]
    fn a_stock_standard_webhooks_library_verifies_with_either_secret() {
        let now = i64::try_from(UNIX_EPOCH.elapsed().unwrap().as_secs()).unwrap();
        let headers = signed(&rolled(), now);
        for secret in [CURRENT, OLD] {
            Webhook::new(secret)
                .unwrap()
                .verify(BODY, &headers)
                .unwrap();
        }
        let other = Webhook::new("whsec_AAAA").unwrap();
        assert!(other.verify(BODY, &headers).is_err());
        let right = Webhook::new(CURRENT).unwrap();
        assert!(right.verify(b"{}", &headers).is_err());
    }

    #[test]
    fn the_secret_is_hidden_when_headers_are_printed() {
        let headers = signed(&rolled(), T);
        assert!(!format!("{headers:?}").contains(CURRENT));
    }

    #[test]
    fn an_echoed_secret_is_redacted_however_it_is_spelled() {
        let signer = rolled();
        let echoes = [
            CURRENT.to_owned(),
            OLD.to_owned(),
            OLD.replace('/', "\\/"),
            OLD.replace('/', "%2F").replace('=', "%3D"),
        ];
        for echo in echoes {
            let answer = signer.redact(format!("got [{echo}] and [{echo}]"));
            assert_eq!(answer, "got [whsec_[redacted]] and [whsec_[redacted]]");
        }
        assert_eq!(signer.redact("ok".to_owned()), "ok");
    }

    #[test]
    fn a_secret_of_another_form_is_refused() {
        for bad in [
            "",
            "whsec_",
            "whsec_!",
            "AAAA",
            "whsec_AAA",
            "WHSEC_AAAA",
            "whsec_AA\n",
        ] {
            assert_eq!(Signer::parse(bad, None).unwrap_err(), BadSecret, "{bad:?}");
        }
    }
}
