//! The picture of a charge's code, read by programs that phones and cashiers use.

use std::fs;
use std::path::Path;
use std::process::Command;

use data_encoding::BASE64;
use vintem_tests::Backend;
use vintem_tests::site::merchant;

vintem_tests::on_both!(
    zbar_and_zxing_read_the_picture,
    the_picture_is_a_small_one_bit_png_with_a_quiet_zone
);

fn picture(charge: &serde_json::Value) -> Vec<u8> {
    let uri = charge["brCodeBase64"].as_str().unwrap();
    let encoded = uri
        .strip_prefix("data:image/png;base64,")
        .expect("a data URI of a PNG");
    BASE64.decode(encoded.as_bytes()).expect("padded base64")
}

#[track_caller]
fn read_with(program: &str, arguments: &[&str], file: &Path) -> String {
    let output = Command::new(program).args(arguments).arg(file).output();
    let output =
        output.unwrap_or_else(|error| panic!("{program}: {error}: `make test` installs it"));
    assert!(
        output.status.success(),
        "{program}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn zbar_and_zxing_read_the_picture(on: Backend) {
    let merchant = merchant(on);
    let folder = tempfile::tempdir().unwrap();
    for (index, amount) in [200, 4990, 5_000_000].into_iter().enumerate() {
        let charge = merchant.live.charge(amount);
        let file = folder.path().join(format!("{index}.png"));
        fs::write(&file, picture(&charge)).unwrap();
        let code = charge["brCode"].as_str().unwrap();
        assert_eq!(
            read_with("zbarimg", &["--quiet", "--raw", "--nodbus"], &file).trim_end(),
            code
        );
        let zxing = read_with("ZXingReader", &[], &file);
        assert!(zxing.contains(code), "{zxing}");
        assert!(
            zxing.contains("EC Level:   M") || !zxing.contains("EC Level"),
            "medium correction: {zxing}"
        );
    }
}

fn the_picture_is_a_small_one_bit_png_with_a_quiet_zone(on: Backend) {
    let picture = picture(&merchant(on).test.charge(4990));
    assert_eq!(&picture[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&picture[12..16], b"IHDR");
    let side = |from: usize| u32::from_be_bytes(picture[from..from + 4].try_into().unwrap());
    assert_eq!(side(16), side(20), "a square");
    assert!(side(16) >= 100, "big enough to be seen: {}", side(16));
    assert_eq!(picture[24], 1, "one bit a pixel");
    assert!(picture.len() < 8 * 1024, "{} bytes", picture.len());
}
