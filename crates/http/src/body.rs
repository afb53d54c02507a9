//! Reading request bodies: JSON objects whose fields are asked for by name.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::http::header;
use actix_web::web::{Bytes, BytesMut, Payload};
use futures_util::StreamExt;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{Fault, Problem};

/// The most bytes a JSON body may have.
const LARGEST: usize = 256 * 1024;

/// A body that was received: at most 256 KiB of UTF-8, said to be JSON.
pub(crate) struct Body(Bytes);

impl Body {
    /// Receives a body: 413 before 415 before 400 (decisions §2).
    pub(crate) async fn receive(
        request: &HttpRequest,
        payload: Payload,
        patience: Duration,
    ) -> Result<Self, Problem> {
        let told = request
            .headers()
            .get(header::CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if told.is_some_and(|length| u64::try_from(LARGEST).is_ok_and(|most| length > most)) {
            return Err(Fault::TooLarge.into());
        }
        let bytes = tokio::time::timeout(patience, collected(payload))
            .await
            .unwrap_or(Err(Fault::Incomplete))?;
        if !is_json(request) {
            return Err(Fault::NotJson.into());
        }
        if is_encoded(request) {
            return Err(Fault::Encoded.into());
        }
        if std::str::from_utf8(&bytes).is_err() {
            return Err(Fault::Malformed.into());
        }
        Ok(Self(bytes))
    }

    /// The fields of the object it is.
    pub(crate) fn fields(&self) -> Result<Fields<'_>, Problem> {
        let members = std::str::from_utf8(&self.0)
            .ok()
            .and_then(|text| serde_json::from_str::<Members<'_>>(text).ok())
            .ok_or(Fault::Malformed)?;
        Ok(Fields {
            of: "",
            members: members.0,
        })
    }

    /// The bytes as they were sent.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    #[cfg(test)]
    pub(crate) fn of(text: &'static str) -> Self {
        Self(Bytes::from_static(text.as_bytes()))
    }
}

async fn collected(mut payload: Payload) -> Result<Bytes, Fault> {
    let mut body = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_broken| Fault::Incomplete)?;
        if body.len().saturating_add(chunk.len()) > LARGEST {
            return Err(Fault::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// A missing Content-Type is read as JSON.
fn is_json(request: &HttpRequest) -> bool {
    request
        .headers()
        .get(header::CONTENT_TYPE)
        .is_none_or(|value| {
            let kind = value.to_str().unwrap_or_default();
            let kind = kind.split_once(';').map_or(kind, |(kind, _)| kind);
            kind.trim().eq_ignore_ascii_case("application/json")
        })
}

/// Whether it says to be anything but the bytes of the JSON themselves.
fn is_encoded(request: &HttpRequest) -> bool {
    request
        .headers()
        .get_all(header::CONTENT_ENCODING)
        .any(|value| {
            let coding = value.to_str().unwrap_or("?").trim();
            !coding.is_empty() && !coding.eq_ignore_ascii_case("identity")
        })
}

/// The fields of a JSON object. Those nobody asks for are ignored; one that is asked for and given twice is refused.
pub(crate) struct Fields<'a> {
    /// The name of the field that holds the object; empty for the body.
    of: &'static str,
    members: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Fields<'a> {
    /// A field's JSON text; `null` is no text at all.
    pub(crate) fn raw(&self, name: &'static str) -> Result<Option<&'a str>, Problem> {
        let mut found = self.members.iter().filter(|(known, _)| known == name);
        let first = found.next();
        if found.next().is_some() {
            return Err(self.invalid(name, "must be given once"));
        }
        Ok(first
            .map(|(_, value)| value.get())
            .filter(|text| *text != "null"))
    }

    /// A whole number of at most 64 bits: no fraction, no exponent, no quotes.
    pub(crate) fn integer(&self, name: &'static str) -> Result<Option<i64>, Problem> {
        self.raw(name)?
            .map(|text| {
                text.parse()
                    .map_err(|_other| self.invalid(name, "must be an integer"))
            })
            .transpose()
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self, name: &'static str) -> Result<Option<bool>, Problem> {
        self.raw(name)?
            .map(|text| {
                text.parse()
                    .map_err(|_other| self.invalid(name, "must be true or false"))
            })
            .transpose()
    }

    /// A text as it was sent, perhaps an empty one.
    pub(crate) fn text(&self, name: &'static str) -> Result<Option<String>, Problem> {
        self.raw(name)?
            .map(|raw| {
                serde_json::from_str(raw).map_err(|_other| self.invalid(name, "must be a text"))
            })
            .transpose()
    }

    /// A text that means something. Whether an empty one does is for `parse` to say: it is not the same as an absent
    /// one.
    pub(crate) fn parsed<T, E: fmt::Display>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, Problem> {
        self.text(name)?
            .map(|text| parse(&text).map_err(|error| self.invalid(name, error)))
            .transpose()
    }

    /// A text that means something and must be there, with at least one visible character.
    pub(crate) fn needed<T, E: fmt::Display>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, Problem> {
        let text = self
            .text(name)?
            .filter(|text| text.chars().any(|c| !c.is_whitespace() && !c.is_control()))
            .ok_or_else(|| self.required(name))?;
        parse(&text).map_err(|error| self.invalid(name, error))
    }

    /// An id that must be there, as it was sent: what it names, if anything, is not for its form to say.
    pub(crate) fn id(&self, name: &'static str) -> Result<String, Problem> {
        self.needed(name, |id| Ok::<_, Infallible>(id.to_owned()))
    }

    /// An object.
    pub(crate) fn object(&self, name: &'static str) -> Result<Option<Fields<'a>>, Problem> {
        let Some(raw) = self.raw(name)? else {
            return Ok(None);
        };
        let members: Members<'a> =
            serde_json::from_str(raw).map_err(|_other| self.invalid(name, "must be an object"))?;
        Ok(Some(Fields {
            of: name,
            members: members.0,
        }))
    }

    /// The field is wrong: its full name, then the reason.
    pub(crate) fn invalid(&self, name: &'static str, reason: impl fmt::Display) -> Problem {
        Problem::invalid(self.path(name), reason)
    }

    /// The field is missing.
    pub(crate) fn required(&self, name: &'static str) -> Problem {
        Problem::required(self.path(name))
    }

    fn path(&self, name: &'static str) -> Cow<'static, str> {
        if self.of.is_empty() {
            Cow::Borrowed(name)
        } else {
            Cow::Owned(format!("{}.{name}", self.of))
        }
    }
}

/// The members of a JSON object in their order, also those with one name.
pub(crate) struct Members<'a>(pub(crate) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object)
    }
}

struct Object;

impl<'de> Visitor<'de> for Object {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(Name(name)) = map.next_key()? {
            members.push((name, map.next_value()?));
        }
        Ok(Members(members))
    }
}

/// The name of a member, borrowed from the text unless it holds escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Name<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Name(Cow::Borrowed(name)))
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Name(Cow::Owned(name.to_owned())))
    }
}

#[cfg(test)]
mod tests;
