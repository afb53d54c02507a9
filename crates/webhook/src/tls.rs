//! Which certificate authorities a receiver's certificate may come from.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// The file named as a private certificate authority cannot be used.
#[derive(Debug)]
pub struct BadAuthority {
    /// The file.
    pub path: PathBuf,
    reason: String,
}

impl fmt::Display for BadAuthority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        write!(formatter, "certificate authority {path}: {}", self.reason)
    }
}

impl std::error::Error for BadAuthority {}

/// The public authorities built in, and the private one of the file, if any.
pub(crate) fn client_config(authority: Option<&Path>) -> Result<ClientConfig, BadAuthority> {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    if let Some(path) = authority {
        add_file(&mut roots, path).map_err(|reason| BadAuthority {
            path: path.to_owned(),
            reason,
        })?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| BadAuthority {
            path: PathBuf::new(),
            reason: error.to_string(),
        })?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), String> {
    let certificates = CertificateDer::pem_file_iter(path).map_err(|error| error.to_string())?;
    let mut found = false;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
        found = true;
    }
    if found {
        Ok(())
    } else {
        Err("no certificate in it".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_authority_is_named_in_the_error() {
        for path in [
            "/nonexistent/ca.pem",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
        ] {
            let error = client_config(Some(Path::new(path))).unwrap_err();
            assert!(error.to_string().contains(path), "{error}");
        }
    }
}
