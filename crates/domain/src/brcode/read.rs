use super::fields::Fields;
use super::{BrCodeError, Ispb, Location, PIX_NAME, crc16};

/// The longest code the central bank's API can carry (`pixCopiaECola`).
const MAX_LENGTH: usize = 512;

/// A BR Code of PIX that was read and found right.
///
/// In a dynamic code only the location counts: amount and txid are what the document behind it says, whatever is printed here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrCode {
    /// Whether the code says that it must be used once only.
    pub single_use: bool,
    /// Who is paid.
    pub recipient: Recipient,
    /// The merchant category code, four digits, `0000` for none.
    pub merchant_category: String,
    /// The amount; `None` when the payer chooses it.
    pub amount_centavos: Option<i64>,
    /// The merchant's name, 1 to 25 characters.
    pub merchant_name: String,
    /// The merchant's city, 1 to 15 characters.
    pub merchant_city: String,
    /// The merchant's postal code, as printed.
    pub postal_code: Option<String>,
    /// The reference of the merchant, at most 25 characters; `None` when absent or `***`.
    pub txid: Option<String>,
    /// Where the terms of a recurrence (PIX Automático) are found.
    pub recurrence: Option<Location>,
}

/// Who a BR Code pays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// A static code: the owner of a PIX key.
    Key {
        /// The key, 1 to 77 characters, not checked any further.
        key: String,
        /// A text for the payer.
        description: Option<String>,
        /// The institution that hands out cash (PIX Saque).
        withdrawal_facilitator: Option<Ispb>,
    },
    /// A dynamic code: whoever the document at this location names.
    Location(Location),
    /// Nobody now: the code only proposes a recurrence.
    RecurrenceOnly,
}

impl BrCode {
    /// Reads a code, static or dynamic. The text must be the code alone, without blanks around it.
    ///
    /// Tags that PIX gives no meaning are skipped. The order of fields is free, but for 00 first and 63 last.
    pub fn parse(text: &str) -> Result<Self, BrCodeError> {
        if text.chars().count() > MAX_LENGTH {
            return Err(BrCodeError::TooLong);
        }
        let code = Fields::read(None, text)?;
        check_frame(&code, text)?;
        code.required(0, "01", |value| value == "01")?;
        let initiation = code.optional(1, "11 or 12", |value| matches!(value, "11" | "12"))?;
        code.required(53, "986", |value| value == "986")?;
        code.required(58, "BR", |value| value == "BR")?;
        let recurrence = recurrence(&code)?;
        let recipient = match account(&code)? {
            Recipient::RecurrenceOnly if recurrence.is_none() => {
                return Err(BrCodeError::NoAccount);
            }
            recipient => recipient,
        };
        Ok(Self {
            single_use: initiation == Some("12"),
            recipient,
            merchant_category: code.required(52, "four digits", is_category)?.to_owned(),
            amount_centavos: amount_centavos(&code)?,
            merchant_name: code
                .required(59, "1 to 25 characters", |value| {
                    value.chars().count() <= 25
                })?
                .to_owned(),
            merchant_city: code
                .required(60, "1 to 15 characters", |value| {
                    value.chars().count() <= 15
                })?
                .to_owned(),
            postal_code: code.value(61).map(str::to_owned),
            txid: txid(&code)?,
            recurrence,
        })
    }
}

/// The checksum comes last and covers everything before its own four digits. Lower-case digits are read too.
fn check_frame(code: &Fields<'_>, text: &str) -> Result<(), BrCodeError> {
    let (Some((0, _)), Some((63, checksum))) = (code.first(), code.last()) else {
        return Err(BrCodeError::Frame);
    };
    if checksum.len() != 4 || !checksum.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(code.wrong(63, "four hexadecimal digits"));
    }
    let expected = crc16(text.strip_suffix(checksum).unwrap_or(text).as_bytes());
    if u16::from_str_radix(checksum, 16) != Ok(expected) {
        return Err(BrCodeError::Checksum { expected });
    }
    Ok(())
}

/// The one account of PIX among the merchant accounts; other arrangements may stand beside it.
fn account(code: &Fields<'_>) -> Result<Recipient, BrCodeError> {
    let mut found = None;
    for (tag, text) in code.iter().filter(|(tag, _)| (26..=51).contains(tag)) {
        let template = Fields::read(Some(tag), text)?;
        if is_pix(&template) && found.replace(recipient(&template)?).is_some() {
            return Err(BrCodeError::Ambiguous);
        }
    }
    found.ok_or(BrCodeError::NoAccount)
}

fn recipient(template: &Fields<'_>) -> Result<Recipient, BrCodeError> {
    let key = template.optional(1, "1 to 77 characters", |value| value.chars().count() <= 77)?;
    let location = location(template)?;
    match (key, location) {
        (Some(_), Some(_)) => Err(BrCodeError::Ambiguous),
        (None, Some(location)) => Ok(Recipient::Location(location)),
        (None, None) => Ok(Recipient::RecurrenceOnly),
        (Some(key), None) => {
            let facilitator = template.value(3).map(Ispb::parse).transpose();
            Ok(Recipient::Key {
                key: key.to_owned(),
                description: template.value(2).map(str::to_owned),
                withdrawal_facilitator: facilitator
                    .map_err(|_error| template.wrong(3, "an ISPB"))?,
            })
        }
    }
}

/// Field 80 belongs to whoever names itself in it; only that of PIX is understood.
fn recurrence(code: &Fields<'_>) -> Result<Option<Location>, BrCodeError> {
    let Some(text) = code.value(80) else {
        return Ok(None);
    };
    let template = Fields::read(Some(80), text)?;
    if is_pix(&template) {
        location(&template)
    } else {
        Ok(None)
    }
}

fn is_pix(template: &Fields<'_>) -> bool {
    template
        .value(0)
        .is_some_and(|name| name.eq_ignore_ascii_case(PIX_NAME))
}

fn location(template: &Fields<'_>) -> Result<Option<Location>, BrCodeError> {
    let location = template.value(25).map(Location::parse).transpose();
    location.map_err(|_error| template.wrong(25, "an address without scheme"))
}

fn txid(code: &Fields<'_>) -> Result<Option<String>, BrCodeError> {
    // The manual demands 62/05; codes without it are in use nevertheless, and harmless.
    let Some(text) = code.value(62) else {
        return Ok(None);
    };
    let additional = Fields::read(Some(62), text)?;
    let txid = additional.optional(5, "1 to 25 characters", |value| value.chars().count() <= 25)?;
    Ok(txid.filter(|txid| *txid != "***").map(str::to_owned))
}

fn is_category(value: &str) -> bool {
    value.len() == 4 && value.bytes().all(|byte| byte.is_ascii_digit())
}

fn amount_centavos(code: &Fields<'_>) -> Result<Option<i64>, BrCodeError> {
    let Some(value) = code.value(54) else {
        return Ok(None);
    };
    match centavos(value) {
        Some(0) => Ok(None),
        Some(amount) => Ok(Some(amount)),
        None => Err(code.wrong(54, "an amount like 10.00")),
    }
}

/// Reads `10`, `10.5` and `10.50`, at most 13 characters.
fn centavos(value: &str) -> Option<i64> {
    let (reais, cents) = value.split_once('.').unwrap_or((value, "00"));
    let digits = reais
        .bytes()
        .chain(cents.bytes())
        .all(|byte| byte.is_ascii_digit());
    if value.len() > 13 || reais.is_empty() || !(1..=2).contains(&cents.len()) || !digits {
        return None;
    }
    format!("{reais}{cents:0<2}").parse().ok()
}

#[cfg(test)]
mod tests;
