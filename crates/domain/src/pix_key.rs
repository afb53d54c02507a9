//! PIX keys: the names under which money finds an account, as the central bank's directory (DICT) keeps them.
//!
//! A [`PixKey`] always is in its canonical form. [`PixKey::parse`] reads one of a known kind, [`PixKey::infer`] finds out
//! the kind. Their `Debug` form is masked, so that a whole key never slips into a log.
//!
//! Source: BACEN, DICT API 2.6.0 and API Pix 2.9.0.

mod email;
mod phone;
mod random;

use std::fmt;

pub use email::EmailKey;
pub use phone::PhoneKey;
pub use random::RandomKey;

use crate::document::{Cnpj, Cpf, DocumentError};

/// The kinds of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PixKeyKind {
    /// The tax id of a person.
    Cpf,
    /// The tax id of a company.
    Cnpj,
    /// A Brazilian phone number.
    Phone,
    /// An e-mail address.
    Email,
    /// A random key the central bank gave out (`endereço virtual de pagamento`).
    Evp,
}

impl PixKeyKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Cpf, Self::Cnpj, Self::Phone, Self::Email, Self::Evp];

    /// Reads the word for a kind, in capitals.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The word for this kind: `CPF`, `CNPJ`, `PHONE`, `EMAIL` or `EVP`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cpf => "CPF",
            Self::Cnpj => "CNPJ",
            Self::Phone => "PHONE",
            Self::Email => "EMAIL",
            Self::Evp => "EVP",
        }
    }
}

impl fmt::Display for PixKeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PixKey {
    /// The tax id of a person.
    Cpf(Cpf),
    /// The tax id of a company.
    Cnpj(Cnpj),
    /// A Brazilian phone number.
    Phone(PhoneKey),
    /// An e-mail address.
    Email(EmailKey),
    /// A random key.
    Evp(RandomKey),
}

impl PixKey {
    /// Reads a key of a known kind and brings it to its canonical form. What people put between the characters of tax
    /// ids and phone numbers is left out, and so are spaces around the key.
    ///
    /// # Errors
    /// [`PixKeyError`].
    pub fn parse(kind: PixKeyKind, text: &str) -> Result<Self, PixKeyError> {
        match kind {
            PixKeyKind::Cpf => Cpf::parse_lenient(text)
                .map(Self::Cpf)
                .map_err(PixKeyError::Cpf),
            PixKeyKind::Cnpj => Cnpj::parse_lenient(text)
                .map(Self::Cnpj)
                .map_err(PixKeyError::Cnpj),
            PixKeyKind::Phone => PhoneKey::parse(text).map(Self::Phone),
            PixKeyKind::Email => EmailKey::parse(text).map(Self::Email),
            PixKeyKind::Evp => RandomKey::parse(text).map(Self::Evp),
        }
    }

    /// Reads a key of any kind.
    ///
    /// Eleven digits may be a CPF or a mobile phone without its country code: they are a CPF when the check digits hold,
    /// which they also do by chance for one phone number in a hundred. Whoever knows the kind should say it.
    ///
    /// # Errors
    /// [`PixKeyError`], of the kind the text looks like.
    pub fn infer(text: &str) -> Result<Self, PixKeyError> {
        let kind = if text.contains('@') {
            PixKeyKind::Email
        } else if text.trim_start().starts_with(['+', '(']) {
            PixKeyKind::Phone
        } else if text.trim().len() == RandomKey::LENGTH {
            PixKeyKind::Evp
        } else {
            match text.chars().filter(char::is_ascii_alphanumeric).count() {
                Cpf::LENGTH => {
                    return Self::parse(PixKeyKind::Cpf, text)
                        .or_else(|_no_cpf| Self::parse(PixKeyKind::Phone, text))
                        .map_err(|_neither| PixKeyError::CpfOrPhone);
                }
                Cnpj::LENGTH => PixKeyKind::Cnpj,
                10 | 12 | 13 => PixKeyKind::Phone,
                _ => return Err(PixKeyError::Unknown),
            }
        };
        Self::parse(kind, text)
    }

    /// Which kind it is.
    pub fn kind(&self) -> PixKeyKind {
        match self {
            Self::Cpf(_) => PixKeyKind::Cpf,
            Self::Cnpj(_) => PixKeyKind::Cnpj,
            Self::Phone(_) => PixKeyKind::Phone,
            Self::Email(_) => PixKeyKind::Email,
            Self::Evp(_) => PixKeyKind::Evp,
        }
    }

    /// The canonical form, as the directory keeps it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Cpf(cpf) => cpf.as_str(),
            Self::Cnpj(cnpj) => cnpj.as_str(),
            Self::Phone(phone) => phone.as_str(),
            Self::Email(email) => email.as_str(),
            Self::Evp(random) => random.as_str(),
        }
    }

    /// The form for logs and screens: enough to recognise a key one knows.
    pub fn masked(&self) -> String {
        match self {
            Self::Cpf(cpf) => cpf.masked(),
            Self::Cnpj(cnpj) => cnpj.masked(),
            Self::Phone(phone) => phone.masked(),
            Self::Email(email) => email.masked(),
            Self::Evp(random) => random.masked(),
        }
    }
}

impl fmt::Display for PixKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a text is no PIX key. It reads well after the name of a field: `pixKey is no CPF: it has check digits 34, expected 35`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PixKeyError {
    /// No CPF.
    Cpf(DocumentError),
    /// No CNPJ.
    Cnpj(DocumentError),
    /// No Brazilian phone number.
    Phone,
    /// No e-mail address as the directory takes it.
    Email,
    /// No random key.
    Evp,
    /// Eleven characters that are neither a CPF nor a phone number.
    CpfOrPhone,
    /// Nothing that looks like a key of any kind.
    Unknown,
}

impl fmt::Display for PixKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpf(error) => write!(f, "is no CPF: it {error}"),
            Self::Cnpj(error) => write!(f, "is no CNPJ: it {error}"),
            Self::Phone => f.write_str("must be a Brazilian phone number such as +5511912345678"),
            Self::Email => f.write_str("must be an e-mail address of at most 77 characters"),
            Self::Evp => {
                f.write_str("must be a random key such as 123e4567-e89b-42d3-a456-426655440000")
            }
            Self::CpfOrPhone => f.write_str(
                "is neither a CPF, whose check digits would be right, nor a phone number such as +5511912345678",
            ),
            Self::Unknown => f.write_str(
                "must be a CPF, a CNPJ, a phone number, an e-mail address or a random key",
            ),
        }
    }
}

impl std::error::Error for PixKeyError {}

#[cfg(test)]
mod tests;
