//! Reading query strings.

use std::borrow::Cow;

use crate::error::Problem;

/// The parameters of a request's address. Unknown ones are ignored; one that is asked for and given twice, or that is
/// no text, is refused.
pub(crate) struct Query<'a>(&'a str);

impl<'a> Query<'a> {
    /// The query string as it was sent, without the question mark.
    pub(crate) fn of(text: &'a str) -> Self {
        Self(text)
    }

    /// A parameter's value, perhaps an empty one.
    pub(crate) fn text(&self, name: &'static str) -> Result<Option<Cow<'a, str>>, Problem> {
        let mut found = self
            .0
            .split('&')
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .filter(|(known, _)| decoded(known).is_some_and(|known| known == name));
        let first = found.next();
        if found.next().is_some() {
            return Err(Problem::invalid(name, "must be given once"));
        }
        first
            .map(|(_, value)| {
                decoded(value)
                    .ok_or_else(|| Problem::invalid(name, "must be percent-encoded UTF-8"))
            })
            .transpose()
    }

    /// A parameter that must be there.
    pub(crate) fn required(&self, name: &'static str) -> Result<Cow<'a, str>, Problem> {
        self.text(name)?
            .filter(|value| !value.is_empty())
            .ok_or_else(|| Problem::required(name))
    }
}

/// Undoes percent encoding and `+`; nothing when what comes out is no UTF-8.
fn decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                bytes.push(hexadecimal(digits)?);
            }
            plain => bytes.push(plain),
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    digits.iter().try_fold(0_u8, |value, &digit| {
        let digit = u8::try_from(char::from(digit).to_digit(16)?).ok()?;
        Some(value << 4 | digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        for (query, expected) in [
            ("", None),
            ("other=1", None),
            ("id", Some("")),
            ("id=", Some("")),
            ("id=a", Some("a")),
            ("x=1&id=a%20b+c&y", Some("a b c")),
            ("i%64=%C3%A7", Some("ç")),
            ("id=a=b", Some("a=b")),
        ] {
            let value = Query::of(query).text("id").unwrap();
            assert_eq!(value.as_deref(), expected, "{query}");
        }
    }

    #[test]
    fn what_is_given_twice_or_is_no_text_is_refused_by_name() {
        for (query, message) in [
            ("id=a&id=b", "id must be given once"),
            ("id=%FF", "id must be percent-encoded UTF-8"),
            ("id=%4", "id must be percent-encoded UTF-8"),
            ("id=%zz", "id must be percent-encoded UTF-8"),
        ] {
            let problem = Query::of(query).text("id").unwrap_err();
            assert_eq!(problem.to_string(), message, "{query}");
        }
        for query in ["", "id=", "ID=a"] {
            let problem = Query::of(query).required("id").unwrap_err();
            assert_eq!(problem.to_string(), "id is required", "{query}");
        }
    }
}
