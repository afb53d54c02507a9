//! Why an attempt had no answer, in words a merchant can act on.

use std::fmt;

/// Why no answer came. The texts are stable: they stand in the delivery log and in metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Failure {
    /// The URL is not one a webhook can be sent to, or not https where https is required.
    UrlRefused,
    /// The endpoint's secret has not the form of one, so nothing can be signed with it.
    SecretUnusable,
    /// The host resolved to an address off the public internet, which is not allowed.
    AddressRefused,
    /// The host has no address.
    HostNotFound,
    /// The host refused the connection.
    ConnectionRefused,
    /// No connection for another reason, such as no route.
    ConnectFailed,
    /// No connection within the time for connecting, handshake included.
    ConnectTimedOut,
    /// The host's certificate is not valid for it, or no known authority issued it.
    CertificateRefused,
    /// The TLS handshake failed for another reason.
    TlsFailed,
    /// Connected, but no answer in time.
    TimedOut,
    /// The host closed the connection before it answered.
    ConnectionLost,
    /// What came back is not HTTP.
    AnswerMalformed,
    /// The server stopped before the answer came.
    Stopped,
    /// A mistake in this program.
    Internal,
}

impl Failure {
    /// The stable text.
    pub fn reason(self) -> &'static str {
        match self {
            Self::UrlRefused => "url refused",
            Self::SecretUnusable => "secret unusable",
            Self::AddressRefused => "address refused",
            Self::HostNotFound => "host not found",
            Self::ConnectionRefused => "connection refused",
            Self::ConnectFailed => "connect failed",
            Self::ConnectTimedOut => "connect timed out",
            Self::CertificateRefused => "certificate refused",
            Self::TlsFailed => "tls failed",
            Self::TimedOut => "timed out",
            Self::ConnectionLost => "connection lost",
            Self::AnswerMalformed => "answer malformed",
            Self::Stopped => "server stopped",
            Self::Internal => "internal error",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.reason())
    }
}

impl std::error::Error for Failure {}
