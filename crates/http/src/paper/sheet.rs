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
        let face = &self.of(style.weight).face;
        let advance = |c| {
            face.glyph_index(c)
                .and_then(|glyph| face.glyph_hor_advance(glyph))
                .unwrap_or_default()
        };
        let units: f32 = text.chars().map(|c| f32::from(advance(c))).sum();
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
        // The typeface has no picture of a tab.
        let text = text.replace('\t', " ");
        let mut rest = text.trim();
        while !rest.is_empty() && lines.len() + 1 < most {
            let end = self.line_end(style, rest, room);
            let (line, after) = rest.split_at(end);
            lines.push(line.trim_end().to_owned());
            rest = after.trim_start();
        }
        if !rest.is_empty() {
            lines.push(self.cut(style, &rest.replace('\n', " "), room));
        }
        lines
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
        let font = self.typeface.of(style.weight).font.clone();
        let at = Point::from_xy(x * POINTS, y * POINTS);
        self.surface.draw_text(
            at,
            font,
            style.size,
            text,
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
