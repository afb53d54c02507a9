use http::HeaderMap;
use standardwebhooks::Webhook;

/// Whether the body comes from somebody who knows the secret.
pub(super) fn is_genuine(secret: &str, headers: &HeaderMap, body: &[u8]) -> bool {
    Webhook::new(secret).is_ok_and(|webhook| webhook.verify(body, headers).is_ok())
}
