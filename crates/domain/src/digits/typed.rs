use super::{CodeError, Digits};

/// The most digits any code has.
const MOST: usize = 48;

/// The digits of what somebody typed or pasted, with the spaces, dots and hyphens of the printed form left out.
pub(crate) struct Typed {
    digits: [u8; MOST],
    count: usize,
}

impl Typed {
    /// Reads digits, spaces, dots and hyphens. How many digits there are is left to [`Typed::exactly`].
    pub(crate) fn read(text: &str) -> Result<Self, CodeError> {
        let mut typed = Self {
            digits: [b'0'; MOST],
            count: 0,
        };
        for (position, character) in (1..).zip(text.chars()) {
            match u8::try_from(character) {
                Ok(digit @ b'0'..=b'9') => {
                    if let Some(place) = typed.digits.get_mut(typed.count) {
                        *place = digit;
                    }
                    typed.count = typed.count.saturating_add(1);
                }
                Ok(b' ' | b'.' | b'-') => {}
                _ if character.is_whitespace() => {}
                _ => return Err(CodeError::Character { position }),
            }
        }
        Ok(typed)
    }

    /// How many digits there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The digits, when there are `N` of them.
    pub(crate) fn exactly<const N: usize>(&self) -> Option<Digits<N>> {
        (self.count == N).then(|| Digits::join([&self.digits]))
    }
}
