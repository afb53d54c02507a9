use super::fields::field;
use super::{Location, MerchantCity, MerchantName, PIX_NAME, crc16};

/// A dynamic code for one charge: the payer's bank fetches what is to be paid from the location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DynamicCode {
    /// Where the charge's signed document is.
    pub location: Location,
    /// The amount, shown by readers that do not fetch the location. Below one centavo the field is left out, as
    /// EMV has no way to say it; above 13 characters ([`super::BrCode`] and banks refuse it) is the caller's to prevent.
    pub amount_centavos: i64,
    /// The name the payer sees.
    pub merchant_name: MerchantName,
    /// The city the payer sees.
    pub merchant_city: MerchantCity,
}

impl DynamicCode {
    /// The text of the code: ASCII, tags in ascending order, usable once, at most 220 characters.
    pub fn encode(&self) -> String {
        let account = field("00", PIX_NAME) + &field("25", self.location.as_str());
        let mut code = [field("00", "01"), field("01", "12"), field("26", &account)].concat();
        code += &field("52", "0000");
        code += &field("53", "986");
        if self.amount_centavos > 0 {
            let (reais, centavos) = (self.amount_centavos / 100, self.amount_centavos % 100);
            code += &field("54", &format!("{reais}.{centavos:02}"));
        }
        code += &field("58", "BR");
        code += &field("59", self.merchant_name.as_str());
        code += &field("60", self.merchant_city.as_str());
        // The reference is the location's; `***` says so, and the field may not be absent.
        code += &field("62", &field("05", "***"));
        code += "6304";
        let checksum = crc16(code.as_bytes());
        code + &format!("{checksum:04X}")
    }
}
