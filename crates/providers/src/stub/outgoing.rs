//! The play bank sends money out: withdrawals, third-party payments and refunds (decisions §4, §5, §6, §11).

use serde::{Deserialize, Serialize};
use vintem_domain::Centavos;
use vintem_domain::account::Environment;
use vintem_domain::document::Document;
use vintem_domain::error::{Error, ProviderFailure};
use vintem_domain::payout::{Payout, PayoutAnswer, Purpose};
use vintem_domain::pix_key::PixKey;
use vintem_domain::provider::{KeyOwner, Outgoing, PayoutProvider};
use vintem_domain::refund::Refund;

use super::Stub;

/// How long settlement takes: about 1 s in live mode, about 2 s in a sandbox.
const LIVE_DELAY_MS: i64 = 1_000;
const SANDBOX_DELAY_MS: i64 = 2_000;

/// To whom keys belong that are no document themselves.
const PAYEE: &str = "00000000191";

/// Final amounts with this remainder of 100 centavos fail in a sandbox; in `unknown` mode they never arrive.
const UNLUCKY_CENTAVOS: i64 = 13;

/// What the bank remembers of money it was told to send.
#[derive(Serialize, Deserialize)]
struct Accepted {
    at_ms: i64,
    settles: bool,
}

/// Money to be sent out, as the bank sees it.
pub(super) struct Order {
    /// The record it is remembered under.
    key: String,
    environment: Environment,
    amount: Centavos,
}

impl Order {
    fn of_payout(payout: &Payout) -> Self {
        Self {
            key: format!("payout/{}", payout.id.0),
            environment: payout.owner.environment,
            amount: payout.amount,
        }
    }

    pub(super) fn of_refund(refund: &Refund) -> Self {
        Self {
            key: format!("refund/{}", refund.name_at_provider()),
            environment: refund.owner.environment,
            amount: refund.amount,
        }
    }

    fn is_unlucky(&self) -> bool {
        self.amount.get() % 100 == UNLUCKY_CENTAVOS
    }
}

impl Stub {
    /// The bank is told to send money, and does with it as it was told to do with such money.
    pub(super) fn take(&self, mode: Outgoing, order: &Order) -> Result<PayoutAnswer, Error> {
        let fails_by_rule = order.environment == Environment::Sandbox && order.is_unlucky();
        match mode {
            Outgoing::Settle => self.accept(order, !fails_by_rule)?,
            Outgoing::Fail => self.accept(order, false)?,
            Outgoing::Unknown => {
                if !order.is_unlucky() {
                    self.accept(order, true)?;
                }
                return Err(ProviderFailure::Unknown.into());
            }
        }
        Ok(PayoutAnswer::UnderWay)
    }

    fn accept(&self, order: &Order, settles: bool) -> Result<(), Error> {
        let accepted = Accepted {
            at_ms: self.clock.now().millis(),
            settles,
        };
        // A record that is there already is the same money, sent before: it stands.
        self.remembered(&order.key, 0, &accepted)?;
        Ok(())
    }

    /// What became of it; what its settlement is called depends on when the bank was told of it.
    pub(super) fn became(
        &self,
        order: &Order,
        authentication: impl FnOnce(i64) -> Result<String, Error>,
    ) -> Result<PayoutAnswer, Error> {
        self.answer()?;
        let Some((accepted, _)) = self.recalled::<Accepted>(&order.key)? else {
            return Ok(PayoutAnswer::NeverReceived);
        };
        let delay = match order.environment {
            Environment::Live => LIVE_DELAY_MS,
            Environment::Sandbox => SANDBOX_DELAY_MS,
        };
        if self.clock.now().millis() < accepted.at_ms.saturating_add(delay) {
            return Ok(PayoutAnswer::UnderWay);
        }
        if !accepted.settles {
            return Ok(PayoutAnswer::Failed {
                reason: "refused by the play bank".to_owned(),
            });
        }
        Ok(PayoutAnswer::Settled {
            authentication: authentication(accepted.at_ms)?,
        })
    }
}

impl PayoutProvider for Stub {
    /// A CPF or CNPJ key belongs to that document, any other key to the sandbox payer's (decisions §6).
    fn key_owner(&self, key: &PixKey) -> Result<Option<KeyOwner>, Error> {
        self.answer()?;
        let document = match key {
            PixKey::Cpf(cpf) => Document::Cpf(cpf.clone()),
            PixKey::Cnpj(cnpj) => Document::Cnpj(cnpj.clone()),
            PixKey::Phone(_) | PixKey::Email(_) | PixKey::Evp(_) => Document::parse(PAYEE)
                .map_err(|error| Error::bug(format!("the play bank's payee {error}")))?,
        };
        Ok(Some(KeyOwner {
            document,
            name: None,
        }))
    }

    fn send(&self, payout: &Payout) -> Result<PayoutAnswer, Error> {
        let state = self.answer()?;
        let mode = match &payout.purpose {
            Purpose::Withdrawal(_) => state.withdrawals,
            Purpose::Bill(_) => state.bills,
        };
        self.take(mode, &Order::of_payout(payout))
    }

    fn look_up(&self, payout: &Payout) -> Result<PayoutAnswer, Error> {
        self.became(&Order::of_payout(payout), |at_ms| {
            payout.authentication(at_ms)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vintem_domain::Centavos;
    use vintem_domain::account::Origin;
    use vintem_domain::bill::{ExternalId, QuoteId};
    use vintem_domain::brcode::ReturnId;
    use vintem_domain::charge::{ChargeId, PaymentId};
    use vintem_domain::id::Ulid;
    use vintem_domain::memory::MemoryStore;
    use vintem_domain::memory::doubles::StillClock;
    use vintem_domain::payout::{BillOrder, PayoutId, PayoutStatus, Phase, Step, Withdrawal};
    use vintem_domain::pix_key::PixKeyKind;
    use vintem_domain::provider::{BankChange, PixProvider, PlayBank};
    use vintem_domain::refund::RefundId;

    use super::super::fixture::{bank, bank_at, now, owner};
    use super::*;

    fn payout(environment: Environment, purpose: Purpose, centavos: i64) -> Payout {
        let amount = Centavos::new(centavos);
        Payout {
            id: PayoutId(Ulid::from_parts(7, 7)),
            owner: owner(environment),
            origin: Origin::Api,
            purpose,
            amount,
            net_amount: amount,
            fee: Centavos::new(100),
            status: PayoutStatus::Pending,
            step: Step {
                phase: Phase::Sending,
                tries: 1,
                due_at: now(),
            },
            created_at: now(),
        }
    }

    fn withdrawal() -> Payout {
        let purpose = Purpose::Withdrawal(Withdrawal {
            pix_key: "00000000191".to_owned(),
            pix_key_kind: "CPF",
            beneficiary_name: None,
            description: None,
            payee: KeyOwner {
                document: Document::parse("00000000191").unwrap(),
                name: None,
            },
        });
        payout(Environment::Live, purpose, 5_000)
    }

    fn bill(centavos: i64) -> Payout {
        let purpose = Purpose::Bill(BillOrder {
            quote: QuoteId(Ulid::from_parts(7, 8)),
            barcode: "84610000000246100291100054603390069589506108".to_owned(),
            external_id: ExternalId::parse("a").unwrap(),
        });
        payout(Environment::Sandbox, purpose, centavos)
    }

    fn settled(answer: &PayoutAnswer) -> &str {
        match answer {
            PayoutAnswer::Settled { authentication } => authentication,
            other => panic!("{other:?}"),
        }
    }

    fn is_failed(answer: &PayoutAnswer) -> bool {
        matches!(answer, PayoutAnswer::Failed { .. })
    }

    #[test]
    fn a_document_owns_its_key_and_the_play_payee_all_others() {
        let bank = bank(&Arc::new(MemoryStore::new()));
        for (kind, key, document) in [
            (PixKeyKind::Cpf, "529.982.247-25", "52998224725"),
            (PixKeyKind::Cnpj, "11222333000181", "11222333000181"),
            (PixKeyKind::Phone, "+5511912345678", "00000000191"),
            (PixKeyKind::Email, "ana@example.com", "00000000191"),
        ] {
            let key = PixKey::parse(kind, key).unwrap();
            let owner = bank.key_owner(&key).unwrap().unwrap();
            assert_eq!(owner.document.as_str(), document);
        }
    }

    #[test]
    fn money_arrives_after_a_while() {
        let clock = Arc::new(StillClock::at(now()));
        let bank = bank_at(&Arc::new(MemoryStore::new()), &clock);
        for (payout, delay) in [(withdrawal(), 1_000), (bill(5_000), 2_000)] {
            let bank = bank_at(&Arc::new(MemoryStore::new()), &clock);
            assert_eq!(bank.look_up(&payout).unwrap(), PayoutAnswer::NeverReceived);
            assert_eq!(bank.send(&payout).unwrap(), PayoutAnswer::UnderWay);
            clock.advance(delay - 1);
            assert_eq!(bank.look_up(&payout).unwrap(), PayoutAnswer::UnderWay);
            // Sent again, it is the same payout and settles when it would have.
            assert_eq!(bank.send(&payout).unwrap(), PayoutAnswer::UnderWay);
            clock.advance(1);
            let answer = bank.look_up(&payout).unwrap();
            assert!(!settled(&answer).is_empty());
            clock.advance(60_000);
            assert_eq!(bank.look_up(&payout).unwrap(), answer);
        }
        bank.send(&withdrawal()).unwrap();
        clock.advance(1_000);
        let answer = bank.look_up(&withdrawal()).unwrap();
        assert_eq!(settled(&answer).len(), 32, "an end-to-end id");
    }

    #[test]
    fn the_bank_fails_what_it_was_told_to() {
        let clock = Arc::new(StillClock::at(now()));
        let bank = bank_at(&Arc::new(MemoryStore::new()), &clock);
        let fail = BankChange {
            withdrawals: Some(Outgoing::Fail),
            ..BankChange::default()
        };
        bank.change(fail).unwrap();
        bank.send(&withdrawal()).unwrap();
        clock.advance(1_000);
        assert!(is_failed(&bank.look_up(&withdrawal()).unwrap()));
    }

    fn refund(centavos: i64) -> Refund {
        Refund {
            id: RefundId(Ulid::from_parts(7, 9)),
            owner: owner(Environment::Live),
            charge: ChargeId(Ulid::from_parts(7, 1)),
            payment_id: PaymentId::restore("E12345678202601011200abcdefghijk".to_owned()),
            amount: Centavos::new(centavos),
            reason: None,
            status: PayoutStatus::Pending,
            step: withdrawal().step,
            created_at: now(),
        }
    }

    #[test]
    fn refunds_go_as_the_bank_was_told_of_refunds() {
        // Whether it arrives; none: the bank never heard of it.
        let told = [
            (Outgoing::Settle, 1_013, Some(true)),
            (Outgoing::Fail, 1_000, Some(false)),
            (Outgoing::Unknown, 1_000, Some(true)),
            (Outgoing::Unknown, 1_013, None),
        ];
        for (mode, centavos, arrives) in told {
            let clock = Arc::new(StillClock::at(now()));
            let bank = bank_at(&Arc::new(MemoryStore::new()), &clock);
            let refunds = BankChange {
                refunds: Some(mode),
                ..BankChange::default()
            };
            bank.change(refunds).unwrap();
            let refund = refund(centavos);
            let answer = bank.refund(&refund);
            assert_eq!(answer.is_err(), mode == Outgoing::Unknown, "{answer:?}");
            clock.advance(1_000);
            let answer = bank.look_up_refund(&refund).unwrap();
            match arrives {
                Some(true) => {
                    let id = ReturnId::parse(settled(&answer)).unwrap();
                    clock.advance(60_000);
                    let again = bank.look_up_refund(&refund).unwrap();
                    assert_eq!(settled(&again), id.as_str());
                }
                Some(false) => assert!(is_failed(&answer)),
                None => assert_eq!(answer, PayoutAnswer::NeverReceived),
            }
            // Nobody was told what becomes of withdrawals.
            bank.send(&withdrawal()).unwrap();
            clock.advance(1_000);
            settled(&bank.look_up(&withdrawal()).unwrap());
        }
    }

    #[test]
    fn thirteen_centavos_fail_in_a_sandbox() {
        let clock = Arc::new(StillClock::at(now()));
        let bank = bank_at(&Arc::new(MemoryStore::new()), &clock);
        bank.send(&bill(1_013)).unwrap();
        clock.advance(2_000);
        assert!(is_failed(&bank.look_up(&bill(1_013)).unwrap()));
    }

    #[test]
    fn after_a_timeout_a_look_up_tells_the_truth() {
        let unknown = BankChange {
            bills: Some(Outgoing::Unknown),
            ..BankChange::default()
        };
        for (centavos, arrives) in [(1_000, true), (1_013, false)] {
            let clock = Arc::new(StillClock::at(now()));
            let bank = bank_at(&Arc::new(MemoryStore::new()), &clock);
            bank.change(unknown).unwrap();
            let payout = bill(centavos);
            assert!(matches!(
                bank.send(&payout),
                Err(Error::Provider(ProviderFailure::Unknown))
            ));
            clock.advance(2_000);
            let answer = bank.look_up(&payout).unwrap();
            if arrives {
                settled(&answer);
            } else {
                assert_eq!(answer, PayoutAnswer::NeverReceived);
            }
        }
    }
}
