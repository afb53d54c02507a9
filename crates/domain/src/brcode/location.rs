use std::fmt;

/// Where the document of a dynamic code is found: an `https` address written without its scheme.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Location(String);

impl Location {
    /// The most characters the field of the code can take beside the name of PIX.
    pub const MAX_LENGTH: usize = 77;

    /// Reads `host/path`: a host name with at least one dot, no scheme, user, port, query or fragment, ASCII without blanks.
    pub fn parse(text: &str) -> Result<Self, LocationError> {
        if text.len() > Self::MAX_LENGTH {
            return Err(LocationError::TooLong);
        }
        let (host, path) = text.split_once('/').unwrap_or((text, ""));
        if !is_host(host) {
            return Err(LocationError::Host);
        }
        if !path.bytes().all(is_path_byte) {
            return Err(LocationError::Path);
        }
        Ok(Self(text.to_owned()))
    }

    /// The address without its scheme.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_host(host: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    host.contains('.') && host.split('.').all(is_label)
}

/// What RFC 3986 allows in a path.
fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~/%:@!$&'()*+,;=".contains(&byte)
}

/// Why a text is no location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationError {
    /// More than [`Location::MAX_LENGTH`] characters.
    TooLong,
    /// What stands before the first slash is no host name with a dot; a scheme, user or port is refused too.
    Host,
    /// The path holds a character that must not stand there, as a blank, a query or a fragment.
    Path,
}

impl fmt::Display for LocationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "must have at most 77 characters",
            Self::Host => "must begin with a host name that has a dot, without scheme or port",
            Self::Path => "must have a plain path, without blanks, query or fragment",
        })
    }
}

impl std::error::Error for LocationError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_an_address_without_scheme() {
        for (text, expected) in [
            ("pix.vintem.example/qr/v2/0123456789", Ok(())),
            ("api.itau", Ok(())),
            ("localhost/qr", Err(LocationError::Host)),
            ("", Err(LocationError::Host)),
            ("https://pix.vintem.example/qr", Err(LocationError::Host)),
            ("user@pix.vintem.example/qr", Err(LocationError::Host)),
            ("pix.vintem.example:443/qr", Err(LocationError::Host)),
            ("pix..example/qr", Err(LocationError::Host)),
            (".example/qr", Err(LocationError::Host)),
            ("pix.-example/qr", Err(LocationError::Host)),
            ("pix.example-/qr", Err(LocationError::Host)),
            ("pix.exámple/qr", Err(LocationError::Host)),
            ("pix.example/q r", Err(LocationError::Path)),
            ("pix.example/qr?a=b", Err(LocationError::Path)),
            ("pix.example/qr#a", Err(LocationError::Path)),
            ("pix.example/é", Err(LocationError::Path)),
            ("pix.example/\n", Err(LocationError::Path)),
        ] {
            assert_eq!(Location::parse(text).map(|_| ()), expected, "{text}");
        }
        let longest = format!("pix.example/{}", "x".repeat(65));
        assert!(Location::parse(&longest).is_ok());
        assert_eq!(
            Location::parse(&(longest + "x")),
            Err(LocationError::TooLong)
        );
    }
}
