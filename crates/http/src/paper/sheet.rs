//! A page of paper that is drawn on in millimetres from its upper left corner.

use krilla::color::luma;
use krilla::geom::{PathBuilder, Point, Rect};
use krilla::num::NormalizedF32;
use krilla::paint::{Fill, FillRule, Stroke, StrokeDash};
use krilla::surface::Surface;
use krilla::text::{Font, TextDirection};
use ttf_parser::Face;

const REGULAR: &[u8] = include_bytes!("../../fonts/Roboto-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../../fonts/Roboto-Bold.ttf");

/// Points in a millimetre.
const POINTS: f32 = 72.0 / 25.4;

/// How high the typeface's capitals and digits are, of its size.
const CAPITALS: f32 = 1456.0 / 2048.0;

/// What stands for a character the typeface has no picture of.
const UNKNOWN: char = '?';

/// A place in a row or column as a factor for distances.
pub(crate) fn nth(place: usize) -> f32 {
    u16::try_from(place).map_or(f32::from(u16::MAX), f32::from)
}

/// The two weights of the typeface. They are read once a process.
pub(crate) struct Typeface {
    regular: Weighted,
    bold: Weighted,
}

struct Weighted {
    font: Font,
    face: Face<'static>,
}

/// Which weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// How a text is written: weight and size in points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) weight: Weight,
    pub(crate) size: f32,
}

impl Style {
    pub(crate) const fn regular(size: f32) -> Self {
        Self {
            weight: Weight::Regular,
            size,
        }
    }

    pub(crate) const fn bold(size: f32) -> Self {
        Self {
            weight: Weight::Bold,
            size,
        }
    }

    /// Bold, with capitals and digits of this height in millimetres.
    pub(crate) const fn bold_of_height(millimetres: f32) -> Self {
        Self::bold(millimetres / CAPITALS * POINTS)
    }
}

impl Weighted {
    /// The character that is printed for another, if any: itself when the typeface has a picture of it.
    fn shown(&self, c: char) -> Option<char> {
        if is_invisible(c) {
            None
        } else if c.is_whitespace() {
            Some(' ')
        } else if self.face.glyph_index(c).is_some() {
            Some(c)
        } else {
            Some(UNKNOWN)
        }
    }
}

/// Whether a character only says how its neighbours look: joiners, marks of direction, variations, tones of skin.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{1f3fb}'..='\u{1f3ff}')
}

impl Typeface {
    /// The typeface built into the program; `None` when it cannot be read, which a test rules out.
    pub(crate) fn built_in() -> Option<Self> {
        let weighted = |bytes: &'static [u8]| {
            let font = Font::new(bytes.to_vec().into(), 0)?;
            Some(Weighted {
                font,
                face: Face::parse(bytes, 0).ok()?,
            })
        };
        Some(Self {
            regular: weighted(REGULAR)?,
            bold: weighted(BOLD)?,
        })
    }

    fn of(&self, weight: Weight) -> &Weighted {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        }
    }

    /// How wide a text is, millimetres.
    pub(crate) fn width(&self, style: Style, text: &str) -> f32 {
        let weighted = self.of(style.weight);
        let face = &weighted.face;
        let advance = |c| {
            face.glyph_index(c)
                .and_then(|glyph| face.glyph_hor_advance(glyph))
                .unwrap_or_default()
        };
        let shown = text.chars().filter_map(|c| weighted.shown(c));
        let units: f32 = shown.map(|c| f32::from(advance(c))).sum();
        units / f32::from(face.units_per_em()) * style.size / POINTS
    }

    /// The text, cut with an ellipsis where it is wider than `room` millimetres.
    pub(crate) fn cut(&self, style: Style, text: &str, room: f32) -> String {
        if self.width(style, text) <= room {
            return text.to_owned();
        }
        let mut kept = String::new();
        for c in text.chars() {
            kept.push(c);
            if self.width(style, &format!("{kept}…")) > room {
                kept.pop();
                break;
            }
        }
        format!("{}…", kept.trim_end())
    }

    /// The text in lines of at most `room` millimetres, broken between words where it can be; the last of `most`
    /// lines is cut.
    pub(crate) fn wrap(&self, style: Style, text: &str, room: f32, most: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() && lines.len() + 1 < most {
            let end = self.line_end(style, rest, room);
            let (line, after) = rest.split_at(end);
            lines.push(line.trim_end().to_owned());
            rest = after.trim_start();
        }
        if !rest.is_empty() {
            lines.push(self.cut(style, rest, room));
        }
        lines
    }

    /// The text in lines of at most `room` millimetres that give it back when they are put together again: nothing is
    /// cut, and no line begins or ends with a blank, which whoever selects and copies the lines would lose.
    pub(crate) fn split<'t>(&self, style: Style, text: &'t str, room: f32) -> Vec<&'t str> {
        let mut lines = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (line, after) = rest.split_at(self.split_end(style, rest, room));
            lines.push(line);
            rest = after;
        }
        lines
    }

    /// Where the first of such lines ends.
    fn split_end(&self, style: Style, text: &str, room: f32) -> usize {
        let ends = text.char_indices().map(|(place, c)| place + c.len_utf8());
        let fits = |end: &usize| self.width(style, text.get(..*end).unwrap_or_default()) <= room;
        let fitting: Vec<usize> = ends.take_while(fits).collect();
        let is_between_words = |end: &&usize| {
            let (line, after) = text.split_at_checked(**end).unwrap_or_default();
            line.ends_with(char::is_whitespace) || after.starts_with(char::is_whitespace)
        };
        let inside_a_word = fitting.iter().rev().find(|end| !is_between_words(end));
        let shortest = text.chars().next().map_or(text.len(), char::len_utf8);
        inside_a_word
            .or(fitting.last())
            .copied()
            .unwrap_or(shortest)
    }

    /// Where the first line of a text ends: after its last word that fits, or after the last character that does.
    fn line_end(&self, style: Style, text: &str, room: f32) -> usize {
        let (mut fits, mut word) = (0, None);
        for (place, c) in text.char_indices() {
            let end = place + c.len_utf8();
            if c == '\n' {
                return end;
            }
            if c.is_whitespace() {
                word = Some(end);
            }
            if self.width(style, text.get(..end).unwrap_or_default()) > room {
                return word.unwrap_or(fits.max(c.len_utf8()));
            }
            fits = end;
        }
        fits
    }
}

/// The paper.
pub(crate) struct Sheet<'a, 'b> {
    surface: &'a mut Surface<'b>,
    typeface: &'a Typeface,
}

impl<'a, 'b> Sheet<'a, 'b> {
    pub(crate) fn new(surface: &'a mut Surface<'b>, typeface: &'a Typeface) -> Self {
        Self { surface, typeface }
    }

    pub(crate) fn typeface(&self) -> &'a Typeface {
        self.typeface
    }

    fn ink(&mut self, lightness: u8) {
        self.surface.set_stroke(None);
        self.surface.set_fill(Some(Fill {
            paint: luma::Color::new(lightness).into(),
            opacity: NormalizedF32::ONE,
            rule: FillRule::NonZero,
        }));
    }

    /// Writes a text whose base line begins here.
    pub(crate) fn text(&mut self, x: f32, y: f32, style: Style, text: &str) {
        self.shaded(x, y, style, 0, text);
    }

    /// The same in a grey from 0 (black) to 255 (white).
    pub(crate) fn shaded(&mut self, x: f32, y: f32, style: Style, lightness: u8, text: &str) {
        self.ink(lightness);
        let weighted = self.typeface.of(style.weight);
        let text: String = text.chars().filter_map(|c| weighted.shown(c)).collect();
        let font = weighted.font.clone();
        let at = Point::from_xy(x * POINTS, y * POINTS);
        self.surface.draw_text(
            at,
            font,
            style.size,
            &text,
            false,
            TextDirection::LeftToRight,
        );
    }

    /// Writes a text whose base line ends here.
    pub(crate) fn text_ending(&mut self, x: f32, y: f32, style: Style, text: &str) {
        let width = self.typeface.width(style, text);
        self.text(x - width, y, style, text);
    }

    /// Fills many rectangles, each left, top, width and height, as one shape: edges between them do not show.
    pub(crate) fn fill(&mut self, rectangles: impl IntoIterator<Item = (f32, f32, f32, f32)>) {
        let mut path = PathBuilder::new();
        for (x, y, width, height) in rectangles {
            if let Some(rectangle) =
                Rect::from_xywh(x * POINTS, y * POINTS, width * POINTS, height * POINTS)
            {
                path.push_rect(rectangle);
            }
        }
        self.ink(0);
        if let Some(path) = path.finish() {
            self.surface.draw_path(&path);
        }
    }

    /// Draws the four sides of a rectangle, from its upper left to its lower right corner.
    pub(crate) fn frame(&mut self, from: (f32, f32), to: (f32, f32), thickness: f32) {
        let mut path = PathBuilder::new();
        path.move_to(from.0 * POINTS, from.1 * POINTS);
        for (x, y) in [(to.0, from.1), to, (from.0, to.1)] {
            path.line_to(x * POINTS, y * POINTS);
        }
        path.close();
        self.stroke(path, thickness, None);
    }

    /// Draws a line; a dashed one is where to cut.
    pub(crate) fn line(&mut self, from: (f32, f32), to: (f32, f32), thickness: f32, dashed: bool) {
        let mut path = PathBuilder::new();
        path.move_to(from.0 * POINTS, from.1 * POINTS);
        path.line_to(to.0 * POINTS, to.1 * POINTS);
        let dash = dashed.then(|| StrokeDash {
            array: vec![4.0, 3.0],
            offset: 0.0,
        });
        self.stroke(path, thickness, dash);
    }

    fn stroke(&mut self, path: PathBuilder, thickness: f32, dash: Option<StrokeDash>) {
        self.surface.set_fill(None);
        self.surface.set_stroke(Some(Stroke {
            paint: luma::Color::new(0).into(),
            width: thickness * POINTS,
            dash,
            ..Stroke::default()
        }));
        if let Some(path) = path.finish() {
            self.surface.draw_path(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_code_give_it_back_and_neither_begin_nor_end_with_a_blank() {
        let typeface = Typeface::built_in().unwrap();
        let style = Style::regular(7.5);
        let code = "5916Padaria Sao Joao 6009SAO PAULO62070503***6304ABCD".repeat(4);
        for tenths in 100..600_u16 {
            let room = f32::from(tenths) / 10.0;
            let lines = typeface.split(style, &code, room);
            assert_eq!(lines.concat(), code);
            for line in lines {
                assert_eq!(line.trim(), line, "{room}");
                assert!(typeface.width(style, line) <= room);
            }
        }
        // What cannot be helped at least loses nothing.
        for (text, room) in [("   ", 1.0), ("WW", 0.1), ("a  b", 1.5)] {
            assert_eq!(typeface.split(style, text, room).concat(), text);
        }
    }

    #[test]
    fn what_the_typeface_lacks_is_seen_to_be_missing() {
        let typeface = Typeface::built_in().unwrap();
        for weight in [Weight::Regular, Weight::Bold] {
            let weighted = typeface.of(weight);
            let shown =
                |text: &str| -> String { text.chars().filter_map(|c| weighted.shown(c)).collect() };
            assert_eq!(shown("José 😀 李小龙"), "José ? ???");
            assert_eq!(shown("a\tb\nc\u{3000}d"), "a b c d");
            assert_eq!(shown("👍🏽\u{200d}❤\u{fe0f}"), "??");
            let words = "AÇÃO – “êxtase” … R$ 1,00 º ª € · Ñ ü";
            assert_eq!(shown(words), words);
        }
    }

    #[test]
    fn digits_are_as_high_as_asked() {
        let typeface = Typeface::built_in().unwrap();
        let face = &typeface.of(Weight::Bold).face;
        let eight = face.glyph_bounding_box(face.glyph_index('1').unwrap());
        let units = f32::from(eight.unwrap().y_max);
        let size = Style::bold_of_height(5.0).size / POINTS;
        let height = units / f32::from(face.units_per_em()) * size;
        assert!((height - 5.0).abs() < 0.02, "{height}");
    }

    #[test]
    fn long_texts_are_wrapped_between_words_and_cut_at_the_end() {
        let typeface = Typeface::built_in().unwrap();
        let style = Style::regular(8.0);
        let text = "Conceição de Albuquerque e Sá ".repeat(20);
        let lines = typeface.wrap(style, &text, 60.0, 3);
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| typeface.width(style, line) <= 60.0));
        assert!(lines[2].ends_with('…') && !lines[0].ends_with('…'));
        assert_eq!(typeface.wrap(style, "Ana", 60.0, 3), ["Ana"]);
        let endless = typeface.wrap(style, &"W".repeat(300), 60.0, 2);
        assert!(
            endless
                .iter()
                .all(|line| typeface.width(style, line) <= 60.0)
        );
    }
}
