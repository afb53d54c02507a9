//! What happened, step by step in words.

use std::sync::Mutex;

use crate::world::locked;

/// Takes down what happens, when somebody wants to read it.
pub(crate) struct Diary {
    lines: Option<Mutex<Vec<String>>>,
}

impl Diary {
    pub(crate) fn new(wanted: bool) -> Self {
        Self {
            lines: wanted.then(Mutex::default),
        }
    }

    /// Notes a line; the words are made only when somebody reads them.
    pub(crate) fn tell(&self, words: impl FnOnce() -> String) {
        if let Some(lines) = &self.lines {
            let words = words();
            locked(lines).push(words);
        }
    }

    /// Everything told so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines
            .as_ref()
            .map_or_else(Vec::new, |lines| locked(lines).clone())
    }
}

/// Centavos as people write them: `R$ 12,34`.
pub(crate) fn reais(centavos: i64) -> String {
    let sign = if centavos < 0 { "-" } else { "" };
    let centavos = centavos.unsigned_abs();
    format!("{sign}R$ {},{:02}", centavos / 100, centavos % 100)
}
