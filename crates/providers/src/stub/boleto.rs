//! The play bank issues boletos.
//!
//! Its code is 999, which no bank of the country has. Its free field is laid out like this:
//!
//! | Positions of the barcode | Content |
//! |---|---|
//! | 20-23 | agency, `0001` |
//! | 24-25 | wallet: `09` of live titles, `99` of sandbox ones |
//! | 26-36 | our number: the title's own in its wallet, from 1 |
//! | 37-43 | account, `1234567` |
//! | 44 | `0` |

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use vintem_domain::account::Environment;
use vintem_domain::boleto::{BankCode, FreeField, Title};
use vintem_domain::error::{Error, ProviderFailure};
use vintem_domain::provider::{
    BoletoProvider, BoletoRequest, RegisteredBoleto, SlipIssuer, WriteOffRequest,
};

use super::{Stub, TRIES};

/// The bank's code.
pub(super) const BANK: &str = "999";
const AGENCY: &str = "0001";
const ACCOUNT: &str = "1234567";

/// The largest number that has room in the free field.
const LARGEST: i64 = 99_999_999_999;
/// How many numbers a server takes out of a wallet at a time. What it did not hand out when it stops stays unused.
const BLOCK: i64 = 1_000;

/// The wallets titles are issued in.
#[derive(Default)]
pub(super) struct Wallets {
    sandbox: Mutex<Block>,
    live: Mutex<Block>,
}

/// The numbers from `next` until before `end`, which this server alone may hand out.
#[derive(Default)]
struct Block {
    next: i64,
    end: i64,
}

/// How much of a wallet is taken.
#[derive(Serialize, Deserialize)]
struct Taken {
    until: i64,
}

impl Stub {
    /// A number of the wallet that nobody else gets. Only the first of a block costs a write.
    fn our_number(&self, wallet: &str, block: &Mutex<Block>) -> Result<i64, Error> {
        let mut block = block.lock().unwrap_or_else(PoisonError::into_inner);
        if block.next == block.end {
            *block = self.take_block(wallet)?;
        }
        let number = block.next;
        if number > LARGEST {
            return Err(ProviderFailure::Rejected.into());
        }
        block.next = number.saturating_add(1);
        Ok(number)
    }

    fn take_block(&self, wallet: &str) -> Result<Block, Error> {
        let key = format!("wallet/{wallet}");
        for _ in 0..TRIES {
            let (next, version) = match self.recalled::<Taken>(&key)? {
                Some((taken, version)) => (taken.until, version),
                None => (1, 0),
            };
            let end = next.saturating_add(BLOCK);
            if self.remembered(&key, version, &Taken { until: end })? {
                return Ok(Block { next, end });
            }
        }
        Err(Error::Unavailable(
            "too many servers take numbers of one wallet at once".into(),
        ))
    }
}

impl BoletoProvider for Stub {
    /// Each call registers a title of its own, also for a txid that was there before: a title nobody keeps is never paid.
    fn register_boleto(&self, request: &BoletoRequest) -> Result<RegisteredBoleto, Error> {
        self.answer()?;
        let (wallet, block) = match request.owner.environment {
            Environment::Sandbox => ("99", &self.wallets.sandbox),
            Environment::Live => ("09", &self.wallets.live),
        };
        let our_number = format!("{:011}", self.our_number(wallet, block)?);
        let free_field = format!("{AGENCY}{wallet}{our_number}{ACCOUNT}0");
        let title = Title {
            bank: BankCode::parse(BANK).ok_or_else(|| Error::bug("the play bank has no code"))?,
            free_field: FreeField::parse(&free_field)
                .ok_or_else(|| Error::bug("the play bank's free field has not 25 digits"))?,
            amount: Some(request.amount),
            due_date: Some(request.due_date),
        };
        let barcode = title
            .barcode()
            .map_err(|error| Error::bug(format!("the play bank's title: {error}")))?;
        Ok(RegisteredBoleto {
            wallet: wallet.to_owned(),
            our_number,
            barcode,
            location: Self::location(&request.txid)?,
        })
    }

    /// As for PIX charges, nothing has to be remembered.
    fn write_off(&self, _: &WriteOffRequest) -> Result<(), Error> {
        self.answer().map(|_up| ())
    }

    fn slip_issuer(&self) -> SlipIssuer {
        SlipIssuer {
            bank_name: "Banco Vintém (teste)".to_owned(),
            bank_code: "999-7".to_owned(),
            agency: format!("{AGENCY} / {ACCOUNT}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use vintem_domain::Centavos;
    use vintem_domain::boleto::{Cep, SlipPayer};
    use vintem_domain::brcode::TxId;
    use vintem_domain::calendar::Date;
    use vintem_domain::document::Document;
    use vintem_domain::memory::MemoryStore;
    use vintem_domain::text::Name;

    use super::super::fixture::{bank, owner};
    use super::*;

    fn request(environment: Environment) -> BoletoRequest {
        BoletoRequest {
            owner: owner(environment),
            txid: TxId::from_bytes(&[7; 32]),
            amount: Centavos::new(10_000),
            payer: SlipPayer {
                name: Name::parse("Ana Souza").unwrap().unwrap(),
                document: Document::parse("00000000191").unwrap(),
                cep: Cep::parse("01310100").unwrap(),
            },
            due_date: Date::parse("2026-11-23").unwrap(),
            description: None,
        }
    }

    #[test]
    fn a_title_is_laid_out_as_documented() {
        let bank = bank(&Arc::new(MemoryStore::new()));
        let title = bank.register_boleto(&request(Environment::Live)).unwrap();
        assert_eq!(
            (title.wallet.as_str(), title.our_number.as_str()),
            ("09", "00000000001")
        );
        let barcode = title.barcode;
        assert_eq!(barcode.bank().as_str(), "999");
        assert_eq!(barcode.free_field().as_str(), "0001090000000000112345670");
        assert_eq!(barcode.amount(), Some(Centavos::new(10_000)));
        let due = request(Environment::Live).due_date;
        assert_eq!(barcode.due_date(due), Some(due));
        assert_eq!(
            title.location.as_str(),
            format!("pix.vintem.example/qr/v2/{}", TxId::from_bytes(&[7; 32]))
        );
        let other = bank
            .register_boleto(&request(Environment::Sandbox))
            .unwrap();
        assert_eq!(
            (other.wallet.as_str(), other.our_number.as_str()),
            ("99", "00000000001")
        );
        assert_ne!(other.barcode, barcode);
    }

    #[test]
    fn no_two_servers_give_a_title_the_same_number() {
        let records = Arc::new(MemoryStore::new());
        let servers: Vec<_> = (0..4).map(|_| Arc::new(bank(&records))).collect();
        let threads: Vec<_> = (0..8)
            .map(|thread: usize| {
                let bank = Arc::clone(&servers[thread % servers.len()]);
                std::thread::spawn(move || {
                    let numbers = (0..700).map(|_| {
                        let title = bank.register_boleto(&request(Environment::Live)).unwrap();
                        title.our_number
                    });
                    numbers.collect::<Vec<_>>()
                })
            })
            .collect();
        let numbers: Vec<String> = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect();
        let distinct: BTreeSet<_> = numbers.iter().collect();
        assert_eq!((numbers.len(), distinct.len()), (5_600, 5_600));
    }

    #[test]
    fn a_block_costs_one_write() {
        let records = Arc::new(MemoryStore::new());
        let bank = bank(&records);
        for _ in 0..BLOCK {
            bank.register_boleto(&request(Environment::Live)).unwrap();
        }
        let (taken, version) = bank.recalled::<Taken>("wallet/09").unwrap().unwrap();
        assert_eq!((taken.until, version), (1_001, 1));
        bank.register_boleto(&request(Environment::Live)).unwrap();
        let (taken, version) = bank.recalled::<Taken>("wallet/09").unwrap().unwrap();
        assert_eq!((taken.until, version), (2_001, 2));
    }
}
