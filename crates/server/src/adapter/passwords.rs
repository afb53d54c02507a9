//! Password hashes.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use vintem_domain::Error;
use vintem_domain::ports::Passwords;

use super::ids::random;

/// Argon2id with the parameters OWASP recommends (19 MiB, two passes); they are part of each hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argon2Passwords;

impl Passwords for Argon2Passwords {
    fn hash(&self, password: &str) -> Result<String, Error> {
        let salt: [u8; 16] = random();
        let hash: PasswordHash = Argon2::default()
            .hash_password_with_salt(password.as_bytes(), &salt)
            .map_err(|error| Error::bug(format!("password hash: {error}")))?;
        Ok(hash.to_string())
    }

    fn verify(&self, password: &str, hash: &str) -> bool {
        Argon2::default()
            .verify_password(password.as_bytes(), hash)
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_gives_its_own_hash_alone() {
        let hash = Argon2Passwords.hash("correct horse").unwrap();
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert!(Argon2Passwords.verify("correct horse", &hash));
        assert!(!Argon2Passwords.verify("correct cow", &hash));
        assert!(!Argon2Passwords.verify("correct horse", "nonsense"));
    }
}
