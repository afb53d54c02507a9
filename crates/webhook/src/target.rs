//! Where one endpoint's webhooks go.

use hyper::Uri;
use url::Url;

use crate::address::AddressPolicy;
use crate::failure::Failure;

/// An endpoint URL made ready for sending, and what is allowed for it. Worth keeping as long as the URL stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub(crate) uri: Uri,
    pub(crate) policy: AddressPolicy,
}

impl Target {
    /// Makes a stored URL ready: international names become their ASCII form, odd spellings of addresses plain ones.
    ///
    /// The rules of what may be stored are the domain's. This refuses what cannot be sent to in any case, and plain http
    /// where `https_required` (a live endpoint whose operator does not allow private addresses): the setting may have
    /// changed since the URL was stored.
    pub fn parse(url: &str, policy: AddressPolicy, https_required: bool) -> Result<Self, Failure> {
        let url = Url::parse(url).map_err(|_the_reason_is_enough| Failure::UrlRefused)?;
        let scheme_fits = match url.scheme() {
            "https" => true,
            "http" => !https_required,
            _ => false,
        };
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        if !scheme_fits || has_credentials || !url.has_host() {
            return Err(Failure::UrlRefused);
        }
        let uri =
            Uri::try_from(url.as_str()).map_err(|_the_reason_is_enough| Failure::UrlRefused)?;
        Ok(Self { uri, policy })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC_ONLY: AddressPolicy = AddressPolicy {
        allow_private: false,
    };

    fn uri(url: &str) -> Result<String, Failure> {
        Target::parse(url, PUBLIC_ONLY, false).map(|target| target.uri.to_string())
    }

    #[test]
    fn a_url_is_normalised() {
        let table = [
            ("https://example.com", "https://example.com/"),
            ("HTTPS://Example.COM:443/a?b=c", "https://example.com/a?b=c"),
            ("https://pão.example/ç", "https://xn--po-sia.example/%C3%A7"),
            ("http://0x7f.1/", "http://127.0.0.1/"),
            ("http://[::FFFF:127.0.0.1]:8/", "http://[::ffff:7f00:1]:8/"),
        ];
        for (given, normal) in table {
            assert_eq!(uri(given).as_deref(), Ok(normal));
        }
    }

    #[test]
    fn what_cannot_be_sent_to_is_refused() {
        let table = [
            "",
            "example.com",
            "/hook",
            "ftp://example.com/",
            "file:///etc/passwd",
            "https://",
            "https://user@example.com/",
            "https://user:pass@example.com/",
            "https://exa mple.com/",
        ];
        for given in table {
            assert_eq!(uri(given), Err(Failure::UrlRefused), "{given}");
        }
    }

    #[test]
    fn plain_http_is_refused_where_https_is_required() {
        assert!(Target::parse("http://example.com/", PUBLIC_ONLY, false).is_ok());
        assert_eq!(
            Target::parse("http://example.com/", PUBLIC_ONLY, true),
            Err(Failure::UrlRefused)
        );
        assert!(Target::parse("https://example.com/", PUBLIC_ONLY, true).is_ok());
    }
}
