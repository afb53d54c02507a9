/// The checksum of a BR Code: CRC-16 with polynomial 1021, initial value FFFF, no reflection and no final xor
/// (CRC-16/CCITT-FALSE, also called IBM-3740).
pub fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc, byte| {
        let mixed = crc ^ u16::from_be_bytes([*byte, 0]);
        (0..8).fold(mixed, |crc, _| {
            if crc & 0x8000 == 0 {
                crc << 1
            } else {
                (crc << 1) ^ 0x1021
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_checksum_is_reproduced() {
        let file: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/vectors/crc16.json")).unwrap();
        let vectors = file["vectors"].as_array().unwrap();
        assert!(vectors.len() >= 28);
        for vector in vectors {
            let text = vector["data"].as_str().unwrap();
            assert_eq!(
                format!("{:04X}", crc16(text.as_bytes())),
                vector["crc"].as_str().unwrap(),
                "{text}"
            );
        }
    }

    #[test]
    fn the_check_value_of_the_algorithm_is_29b1() {
        assert_eq!(crc16(b"123456789"), 0x29B1);
        assert_eq!(crc16(b""), 0xFFFF);
    }
}
