//! Encryption at rest under the master key.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};
use vintem_domain::Error;
use vintem_domain::ports::Cipher;

use super::ids::random;
use crate::config::MasterKey;

/// The layout of what is sealed: this byte, 24 bytes of nonce, the ciphertext with its tag.
const LAYOUT: u8 = 1;
const NONCE: usize = 24;

/// XChaCha20-Poly1305. Its nonces are long enough to be random.
pub(crate) struct MasterCipher {
    cipher: XChaCha20Poly1305,
    check: [u8; 32],
}

impl MasterCipher {
    /// The cipher of this key.
    pub(crate) fn new(key: &MasterKey) -> Self {
        let check = Sha256::new()
            .chain_update(b"vintem master key check\0")
            .chain_update(key.0);
        Self {
            cipher: XChaCha20Poly1305::new(&key.0.into()),
            check: check.finalize().into(),
        }
    }

    /// A value that tells master keys apart and says nothing else of them: the key is 256 random bits.
    pub(crate) fn check_value(&self) -> [u8; 32] {
        self.check
    }
}

impl Cipher for MasterCipher {
    fn seal(&self, purpose: &str, plain: &[u8]) -> Result<Vec<u8>, Error> {
        let nonce: [u8; NONCE] = random();
        let payload = Payload {
            msg: plain,
            aad: purpose.as_bytes(),
        };
        let sealed = self
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_opaque| Error::bug("encryption failed"))?;
        Ok([&[LAYOUT], &nonce[..], &sealed].concat())
    }

    fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let refused = || Error::bug("a secret in the database cannot be decrypted");
        let rest = sealed.strip_prefix(&[LAYOUT]).ok_or_else(refused)?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE>().ok_or_else(refused)?;
        let payload = Payload {
            msg: sealed,
            aad: purpose.as_bytes(),
        };
        self.cipher
            .decrypt(&XNonce::from(*nonce), payload)
            .map_err(|_opaque| refused())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cipher(byte: u8) -> MasterCipher {
        MasterCipher::new(&MasterKey([byte; 32]))
    }

    #[test]
    fn what_is_sealed_opens_for_the_same_purpose_and_key_alone() {
        let sealed = cipher(1).seal("webhook-secret/a", b"whsec").unwrap();
        assert_eq!(
            cipher(1).open("webhook-secret/a", &sealed).unwrap(),
            b"whsec"
        );
        assert!(cipher(1).open("webhook-secret/b", &sealed).is_err());
        assert!(cipher(2).open("webhook-secret/a", &sealed).is_err());
    }

    #[test]
    fn every_changed_or_missing_byte_is_noticed() {
        let sealed = cipher(1).seal("p", b"secret").unwrap();
        for position in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[position] ^= 1;
            assert!(cipher(1).open("p", &changed).is_err(), "{position}");
            assert!(
                cipher(1).open("p", &sealed[..position]).is_err(),
                "{position}"
            );
        }
    }

    #[test]
    fn the_same_text_is_never_sealed_alike() {
        let cipher = cipher(1);
        assert_ne!(
            cipher.seal("p", b"a").unwrap(),
            cipher.seal("p", b"a").unwrap()
        );
    }

    #[test]
    fn the_check_value_tells_keys_apart() {
        assert_eq!(cipher(1).check_value(), cipher(1).check_value());
        assert_ne!(cipher(1).check_value(), cipher(2).check_value());
        assert_ne!(cipher(1).check_value(), [1; 32]);
    }
}
