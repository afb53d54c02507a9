use std::fmt;

use data_encoding::BASE64;
use png::{BitDepth, ColorType, Compression, Encoder, Filter};
use qrcodegen::{Mask, QrCode, QrCodeEcc, QrSegment, Version};

/// The empty border readers need, in modules.
const QUIET_ZONE: i32 = 4;

/// The side of a module. Four pixels of one bit are half a byte: a byte of a row is two modules. Eight would take twice as
/// long to draw and pack, and readers need no more than three.
const PIXELS_PER_MODULE: usize = 4;
const WHITE: u8 = 0xF;
const BLACK: u8 = 0x0;

/// Draws `text` as a QR code: a PNG of one bit a pixel, medium error correction, a quiet zone of four modules.
///
/// Fails when the text is longer than a QR code can hold, 2,331 bytes; no BR Code is.
pub fn qr_png(text: &str) -> Result<Vec<u8>, QrError> {
    let code = encode(text)?;
    let image = Image::draw(&code);
    let mut bytes = Vec::with_capacity(4096);
    let mut encoder = Encoder::new(&mut bytes, image.side, image.side);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::One);
    // Three of four rows equal the one above: the filter makes them zeros, which the fastest coder packs well.
    encoder.set_compression(Compression::Fastest);
    encoder.set_filter(Filter::Up);
    let mut writer = encoder.write_header().map_err(QrError::Image)?;
    writer
        .write_image_data(&image.rows)
        .map_err(QrError::Image)?;
    writer.finish().map_err(QrError::Image)?;
    Ok(bytes)
}

/// The image of [`qr_png`] as a `data:` URI, ready for an `<img>`.
pub fn qr_data_uri(text: &str) -> Result<String, QrError> {
    let png = qr_png(text)?;
    let scheme = "data:image/png;base64,";
    let mut uri = String::with_capacity(scheme.len().saturating_add(BASE64.encode_len(png.len())));
    uri.push_str(scheme);
    BASE64.encode_append(&png, &mut uri);
    Ok(uri)
}

/// The modules of the same code, row by row, `true` for a dark one; without the quiet zone, for those who draw it
/// themselves.
pub fn qr_modules(text: &str) -> Result<Vec<Vec<bool>>, QrError> {
    let code = encode(text)?;
    let side = 0..code.size();
    Ok(side
        .clone()
        .map(|y| side.clone().map(|x| code.get_module(x, y)).collect())
        .collect())
}

/// One fixed mask instead of the best of eight: trying them all costs eight times as much, and readers need none in particular.
fn encode(text: &str) -> Result<QrCode, QrError> {
    let segments = QrSegment::make_segments(text);
    let mask = Some(Mask::new(2));
    QrCode::encode_segments_advanced(
        &segments,
        QrCodeEcc::Medium,
        Version::MIN,
        Version::MAX,
        mask,
        false,
    )
    .map_err(|_error| QrError::TooLong)
}

struct Image {
    side: u32,
    rows: Vec<u8>,
}

impl Image {
    fn draw(code: &QrCode) -> Self {
        // Outside of the code every module is light: that is the quiet zone.
        let modules = || QUIET_ZONE.saturating_neg()..code.size().saturating_add(QUIET_ZONE);
        let side = modules().count().saturating_mul(PIXELS_PER_MODULE);
        let mut rows = Vec::with_capacity(side.saturating_mul(side).div_ceil(8));
        let mut row = Vec::new();
        for y in modules() {
            let pixels = |x| if code.get_module(x, y) { BLACK } else { WHITE };
            row.clear();
            // A code with its quiet zone is an odd number of modules wide: the last half byte is outside of the image.
            row.extend(
                modules()
                    .step_by(2)
                    .map(|x| pixels(x) << 4 | pixels(x.saturating_add(1))),
            );
            for _ in 0..PIXELS_PER_MODULE {
                rows.extend_from_slice(&row);
            }
        }
        Self {
            side: u32::try_from(side).unwrap_or_default(),
            rows,
        }
    }
}

/// Why a text could not be drawn.
#[derive(Debug)]
pub enum QrError {
    /// No QR code is large enough for it.
    TooLong,
    /// The image could not be written.
    Image(png::EncodingError),
}

impl fmt::Display for QrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("the text is too long for a QR code"),
            Self::Image(_) => f.write_str("the QR image could not be written"),
        }
    }
}

impl std::error::Error for QrError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::TooLong => None,
            Self::Image(error) => Some(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the image back as lines of one byte for two modules.
    fn lines(png: &[u8]) -> Vec<Vec<u8>> {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png))
            .read_info()
            .unwrap();
        let info = reader.info();
        assert_eq!(
            (info.color_type, info.bit_depth),
            (ColorType::Grayscale, BitDepth::One)
        );
        assert_eq!(info.width, info.height);
        let width = usize::try_from(info.width).unwrap().div_ceil(8);
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        bytes.chunks(width).map(<[u8]>::to_vec).collect()
    }

    #[test]
    fn the_image_is_the_code_with_its_quiet_zone() {
        for text in [
            "a",
            &"pix.vintem.example/qr/v2/0123456789".repeat(6),
            &"x".repeat(512),
        ] {
            let code = encode(text).unwrap();
            assert_eq!(code.error_correction_level(), QrCodeEcc::Medium);
            let mut expected = Vec::new();
            for y in -4..code.size().strict_add(4) {
                let four = |x| if code.get_module(x, y) { 0 } else { 0xF };
                let row: Vec<u8> = (-4..code.size().strict_add(4))
                    .step_by(2)
                    .map(|x| four(x) << 4 | four(x.strict_add(1)))
                    .collect();
                expected.extend(vec![row; 4]);
            }
            assert_eq!(lines(&qr_png(text).unwrap()), expected);
        }
    }

    #[test]
    fn the_image_of_a_charge_stays_small() {
        let text: String = (0..200_u8)
            .map(|index| char::from(b'0' + index.wrapping_mul(31) % 75))
            .collect();
        let size = qr_png(&text).unwrap().len();
        assert!(size < 3072, "{size} bytes");
    }

    #[test]
    fn the_data_uri_carries_the_same_image() {
        let uri = qr_data_uri("vintem").unwrap();
        let base64 = uri.strip_prefix("data:image/png;base64,").unwrap();
        assert_eq!(
            BASE64.decode(base64.as_bytes()).unwrap(),
            qr_png("vintem").unwrap()
        );
    }

    #[test]
    fn a_text_too_long_for_any_code_is_refused() {
        assert!(qr_png(&"x".repeat(2331)).is_ok());
        assert!(matches!(qr_png(&"x".repeat(2332)), Err(QrError::TooLong)));
    }
}
