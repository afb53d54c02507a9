//! Rows of tag, length and value: the coding of the BR Code and of its templates.

use super::BrCodeError;

/// A row of fields read whole: the code itself, or a template inside it.
pub(super) struct Fields<'a> {
    template: Option<u8>,
    rows: Vec<(u8, &'a str)>,
}

impl<'a> Fields<'a> {
    /// Splits `text` into fields. Lengths count characters, as the payload may hold accents that its author should have left out.
    pub(super) fn read(template: Option<u8>, text: &'a str) -> Result<Self, BrCodeError> {
        let mut fields = Self {
            template,
            rows: Vec::new(),
        };
        let mut rest = text;
        while !rest.is_empty() {
            let Some((tag, length, after)) = header(rest) else {
                let read = text.chars().count().saturating_sub(rest.chars().count());
                let template = template.map(|tag| format!("{tag:02}"));
                return Err(BrCodeError::Header {
                    position: read.saturating_add(1),
                    template,
                });
            };
            let Some((value, after)) = split_characters(after, length) else {
                return Err(BrCodeError::Truncated {
                    tag: fields.path(tag),
                });
            };
            if fields.value(tag).is_some() {
                return Err(BrCodeError::Duplicate {
                    tag: fields.path(tag),
                });
            }
            fields.rows.push((tag, value));
            rest = after;
        }
        Ok(fields)
    }

    pub(super) fn first(&self) -> Option<(u8, &'a str)> {
        self.rows.first().copied()
    }

    pub(super) fn last(&self) -> Option<(u8, &'a str)> {
        self.rows.last().copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u8, &'a str)> {
        self.rows.iter().copied()
    }

    pub(super) fn value(&self, tag: u8) -> Option<&'a str> {
        self.iter()
            .find(|(other, _)| *other == tag)
            .map(|(_, value)| value)
    }

    /// The value of a field that may be absent and, where it is there, must pass `check`.
    pub(super) fn optional(
        &self,
        tag: u8,
        must: &'static str,
        check: impl Fn(&str) -> bool,
    ) -> Result<Option<&'a str>, BrCodeError> {
        match self.value(tag) {
            Some(value) if !check(value) => Err(self.wrong(tag, must)),
            found => Ok(found),
        }
    }

    /// The value of a field that must be there and pass `check`.
    pub(super) fn required(
        &self,
        tag: u8,
        must: &'static str,
        check: impl Fn(&str) -> bool,
    ) -> Result<&'a str, BrCodeError> {
        self.optional(tag, must, check)?
            .ok_or_else(|| BrCodeError::Missing {
                tag: self.path(tag),
            })
    }

    pub(super) fn wrong(&self, tag: u8, must: &'static str) -> BrCodeError {
        BrCodeError::Value {
            tag: self.path(tag),
            must,
        }
    }

    fn path(&self, tag: u8) -> String {
        match self.template {
            Some(template) => format!("{template:02}/{tag:02}"),
            None => format!("{tag:02}"),
        }
    }
}

/// The tag and the length at the start of `text`, and what follows them. A length of zero is refused: EMV begins at 01.
fn header(text: &str) -> Option<(u8, usize, &str)> {
    let (head, rest) = text.split_at_checked(4)?;
    if !head.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (tag, length) = head.split_at_checked(2)?;
    let length = length.parse().ok().filter(|length| *length > 0)?;
    Some((tag.parse().ok()?, length, rest))
}

fn split_characters(text: &str, count: usize) -> Option<(&str, &str)> {
    let mut ends = text
        .char_indices()
        .map(|(start, _)| start)
        .chain([text.len()]);
    text.split_at_checked(ends.nth(count)?)
}

/// One field as it is written. Values are ASCII of at most 99 characters by the types they come from.
pub(super) fn field(tag: &str, value: &str) -> String {
    format!("{tag}{:02}{value}", value.len())
}
