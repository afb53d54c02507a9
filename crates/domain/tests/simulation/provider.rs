//! The bank as a server meets it: calls that fail, hang, or are the last thing a process does.

use vintem_domain::account::Owner;
use vintem_domain::bill::{BillAmounts, BillCode, LateCharges, LateTerms};
use vintem_domain::boleto::{BankCode, FreeField, Title};
use vintem_domain::brcode::{Location, TxId};
use vintem_domain::calendar::{Date, SECOND_MS};
use vintem_domain::document::Document;
use vintem_domain::error::ProviderFailure;
use vintem_domain::payout::{Payout, PayoutAnswer};
use vintem_domain::pix_key::PixKey;
use vintem_domain::provider::{
    BillProvider, BillTerms, BoletoProvider, BoletoRequest, KeyOwner, PayoutProvider, PixProvider,
    PixRequest, RegisteredBoleto, RemovalRequest, ReturnRequest, SlipIssuer, WriteOffRequest,
};
use vintem_domain::refund::Refund;
use vintem_domain::{Centavos, Error};

use crate::bank::{Bank, Fate, Mood};
use crate::crash::die;
use crate::sabotage::Sabotage;
use crate::world::{World, locked};

/// No call of the bank takes longer: callers give up then (seconds).
const LONGEST_CALL: i64 = 30;

fn unknown<T>() -> Result<T, Error> {
    Err(ProviderFailure::Unknown.into())
}

impl World {
    /// A call of the bank, with everything that may happen to one on its way. `act` is what the bank does when it hears
    /// of it.
    fn call<T>(
        &self,
        what: &str,
        act: impl FnOnce(&mut Bank) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mood = if self.is_calm() {
            Mood::GOOD
        } else {
            locked(&self.bank).mood
        };
        if !mood.up {
            self.tell(|| format!("bank: {what}: down"));
            self.count("the bank was down");
            return Err(ProviderFailure::Down.into());
        }
        let dies = if self.is_calm() { 0 } else { self.temper.dies };
        if self.chance(dies) {
            self.tell(|| format!("† the process dies before it calls the bank: {what}"));
            die()
        }
        let seconds = if self.is_alone() && self.chance(mood.slow) {
            self.between(1, LONGEST_CALL)
        } else {
            0
        };
        let on_the_way = self.between(0, seconds);
        self.wait(on_the_way);
        if self.chance(mood.deaf) {
            self.tell(|| format!("bank: {what}: never heard, no answer"));
            self.count("the bank never heard of a call");
            return unknown();
        }
        let answer = act(&mut locked(&self.bank));
        self.wait(seconds - on_the_way);
        if self.chance(dies) {
            self.tell(|| format!("† the process dies before it hears the bank's answer: {what}"));
            die()
        }
        if self.chance(mood.mute) {
            self.tell(|| format!("bank: {what}: heard, no answer"));
            self.count("the bank did not answer");
            return unknown();
        }
        self.tell(|| match &answer {
            Ok(_) => format!("bank: {what}: done"),
            Err(error) => format!("bank: {what}: {error}"),
        });
        answer
    }

    fn wait(&self, seconds: i64) {
        if seconds > 0 {
            self.clock.advance(seconds * SECOND_MS);
            self.count("the bank was slow");
            self.meanwhile(300);
        }
    }

    fn refuses(&self) -> bool {
        let mood = if self.is_calm() {
            Mood::GOOD
        } else {
            locked(&self.bank).mood
        };
        self.chance(mood.unwilling)
    }

    fn location(name: &str) -> Result<Location, Error> {
        Location::parse(&format!("bank.example/{name}"))
            .map_err(|error| Error::bug(format!("a location: {error}")))
    }
}

impl PixProvider for World {
    fn register(&self, request: &PixRequest) -> Result<Location, Error> {
        if self.refuses() {
            return Err(ProviderFailure::Rejected.into());
        }
        self.call("register a charge", |_| {
            Self::location(request.txid.as_str())
        })
    }

    fn remove(&self, request: &RemovalRequest) -> Result<(), Error> {
        self.call("remove a charge", |bank| removed(bank, &request.txid))
    }

    fn give_back(&self, request: &ReturnRequest) -> Result<String, Error> {
        let refuses = self.refuses();
        let what = format!("give {} back", request.payment_id);
        self.call(&what, |bank| {
            let known = bank.given_back.contains_key(&request.return_id);
            if bank.refused.contains(&request.return_id) || (refuses && !known) {
                bank.refused.insert(request.return_id.clone());
                self.count("the bank refused a return");
                return Err(ProviderFailure::Rejected.into());
            }
            bank.give_back(request).map_err(|wrong| {
                self.fault(wrong.clone());
                Error::bug(wrong)
            })
        })
    }

    fn refund(&self, refund: &Refund) -> Result<PayoutAnswer, Error> {
        let what = format!("refund {}", refund.id);
        let answer = self.told_to_send(&what, |bank, fate, delay| {
            bank.take_refund(refund, fate, self.now(), delay)
        });
        self.sabotage_answer(answer)
    }

    fn look_up_refund(&self, refund: &Refund) -> Result<PayoutAnswer, Error> {
        let what = format!("what became of {}", refund.id);
        let answer = self.call(&what, |bank| Ok(bank.known_refund(refund.id, self.now())));
        self.sabotage_answer(answer)
    }
}

fn removed(bank: &mut Bank, txid: &TxId) -> Result<(), Error> {
    if bank.remove(txid) {
        Ok(())
    } else {
        Err(ProviderFailure::Rejected.into())
    }
}

impl World {
    /// Money shall be sent, once: what the bank says, and what it then does.
    fn told_to_send(
        &self,
        what: &str,
        take: impl FnOnce(&mut Bank, Fate, i64) -> Result<PayoutAnswer, String>,
    ) -> Result<PayoutAnswer, Error> {
        let refused = self.refuses();
        let fate = if self.is_calm() {
            Fate::Arrives
        } else {
            self.weighted(&[
                (60, Fate::Arrives),
                (15, Fate::ComesBack),
                (8, Fate::ArrivesAtOnce),
                (6, Fate::FailsAtOnce),
            ])
        };
        let delay = self.between(1, 400);
        self.call(what, |bank| {
            if refused {
                self.count("the bank refused to send");
                return Err(ProviderFailure::Rejected.into());
            }
            take(bank, fate, delay).map_err(|wrong| {
                self.fault(wrong.clone());
                Error::bug(wrong)
            })
        })
    }
}

impl PayoutProvider for World {
    fn key_owner(&self, key: &PixKey) -> Result<Option<KeyOwner>, Error> {
        let is_nobodys = key.as_str().starts_with("nobody");
        self.call("whose key is it", |_| {
            let document = Document::parse("00000000191").unwrap();
            let owner = KeyOwner {
                document,
                name: None,
            };
            Ok((!is_nobodys).then_some(owner))
        })
    }

    fn send(&self, payout: &Payout) -> Result<PayoutAnswer, Error> {
        let what = format!("send {}", payout.public_id());
        let answer = self.told_to_send(&what, |bank, fate, delay| {
            bank.take(payout, fate, self.now(), delay)
        });
        self.sabotage_answer(answer)
    }

    fn look_up(&self, payout: &Payout) -> Result<PayoutAnswer, Error> {
        let what = format!("what became of {}", payout.public_id());
        let answer = self.call(&what, |bank| Ok(bank.known(payout.id, self.now())));
        if self.sabotage == Some(Sabotage::PaysAgain) && answer.is_ok() {
            return self.send(payout);
        }
        if let Ok(PayoutAnswer::NeverReceived) = &answer {
            self.count("a payout was found never received");
        }
        self.sabotage_answer(answer)
    }
}

impl BoletoProvider for World {
    fn register_boleto(&self, request: &BoletoRequest) -> Result<RegisteredBoleto, Error> {
        if self.refuses() {
            return Err(ProviderFailure::Rejected.into());
        }
        self.call("register a title", |bank| {
            bank.titles += 1;
            let our_number = format!("{:011}", bank.titles);
            let title = Title {
                bank: BankCode::parse("001").unwrap(),
                free_field: FreeField::parse(&format!("00010900000000{our_number}")).unwrap(),
                amount: Some(request.amount),
                due_date: Some(request.due_date),
            };
            Ok(RegisteredBoleto {
                wallet: "09".to_owned(),
                our_number,
                barcode: title.barcode().unwrap(),
                location: Self::location(request.txid.as_str())?,
            })
        })
    }

    fn write_off(&self, request: &WriteOffRequest) -> Result<(), Error> {
        self.call("write a title off", |bank| removed(bank, &request.txid))
    }

    fn slip_issuer(&self) -> SlipIssuer {
        SlipIssuer {
            bank_name: "Simulated bank".to_owned(),
            bank_code: "001-9".to_owned(),
            agency: "0001 / 1".to_owned(),
        }
    }
}

impl BillProvider for World {
    fn terms(&self, owner: Owner, bill: &BillCode, day: Date) -> Result<BillTerms, Error> {
        self.call("what does a title cost", |bank| {
            let original = bill.amount().unwrap_or(Centavos::ZERO);
            let late = match (bill, bill.due_date(day)) {
                (BillCode::Boleto(_), Some(due)) => {
                    LateTerms::USUAL.charges(original, due, day, &self.calendar)?
                }
                (BillCode::Boleto(_) | BillCode::Collection(_), _) => LateCharges::default(),
            };
            Ok(BillTerms {
                bank: None,
                beneficiary: None,
                due_date: bill.due_date(day),
                payable: bill.amount().is_some() && !bank.is_paid(owner, bill.as_str()),
                amounts: BillAmounts {
                    original,
                    interest: late.interest,
                    fine: late.fine,
                    discount: Centavos::ZERO,
                    rebate: Centavos::ZERO,
                    total: original.plus(late.fine)?.plus(late.interest)?,
                },
            })
        })
    }
}
