//! Banks: one that does as it is told, and one whose every answer is told.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::START;
use crate::account::Owner;
use crate::bill::{BillAmounts, BillCode};
use crate::boleto::{BankCode, FreeField, Title};
use crate::brcode::Location;
use crate::calendar::Date;
use crate::document::Document;
use crate::error::{Error, ProviderFailure};
use crate::money::Centavos;
use crate::payout::{Payout, PayoutAnswer, PayoutId};
use crate::pix_key::{PixKey, PixKeyKind};
use crate::provider::{
    BillProvider, BillTerms, BoletoProvider, BoletoRequest, KeyOwner, PayoutProvider, PixProvider,
    PixRequest, RegisteredBoleto, RemovalRequest, ReturnRequest, SlipIssuer, WriteOffRequest,
};
use crate::refund::{Refund, RefundId};

/// What becomes of money that goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Settles,
    Fails,
    /// The call times out, but the money was sent.
    TimesOut,
    /// The call times out, and nothing was received.
    IsLost,
    /// The bank says no to the call.
    IsRefused,
}

/// What a bank was told, and how often.
type Told<K> = Mutex<BTreeMap<K, (Fate, u32)>>;

/// A bank that does as it is told, and can be switched off.
pub(crate) struct Bank {
    down: AtomicBool,
    fate: Mutex<Fate>,
    /// What it was told to send, and how often.
    pub(crate) sent: Told<PayoutId>,
    /// What it was told to refund, and how often.
    pub(crate) refunded: Told<RefundId>,
}

impl Default for Bank {
    fn default() -> Self {
        Self {
            down: AtomicBool::new(false),
            fate: Mutex::new(Fate::Settles),
            sent: Mutex::default(),
            refunded: Mutex::default(),
        }
    }
}

impl Bank {
    pub(crate) fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
    }

    pub(crate) fn set_fate(&self, fate: Fate) {
        *self.fate.lock().unwrap() = fate;
    }

    fn answer(&self) -> Result<(), Error> {
        if self.down.load(Ordering::SeqCst) {
            Err(ProviderFailure::Down.into())
        } else {
            Ok(())
        }
    }

    /// It is told to let money go.
    fn take<K: Ord>(&self, told: &Told<K>, key: K) -> Result<PayoutAnswer, Error> {
        self.answer()?;
        let fate = *self.fate.lock().unwrap();
        if fate == Fate::IsRefused {
            return Err(ProviderFailure::Rejected.into());
        }
        if fate != Fate::IsLost {
            told.lock().unwrap().entry(key).or_insert((fate, 0)).1 += 1;
        }
        match fate {
            Fate::Settles | Fate::Fails | Fate::IsRefused => Ok(PayoutAnswer::UnderWay),
            Fate::TimesOut | Fate::IsLost => Err(ProviderFailure::Unknown.into()),
        }
    }

    /// What became of it.
    fn became<K: Ord>(
        &self,
        told: &Told<K>,
        key: &K,
        authentication: impl FnOnce() -> Result<String, Error>,
    ) -> Result<PayoutAnswer, Error> {
        self.answer()?;
        Ok(match told.lock().unwrap().get(key) {
            None => PayoutAnswer::NeverReceived,
            Some((Fate::Fails, _)) => PayoutAnswer::Failed {
                reason: "account closed".to_owned(),
            },
            Some(_) => PayoutAnswer::Settled {
                authentication: authentication()?,
            },
        })
    }
}

impl PixProvider for Bank {
    fn register(&self, request: &PixRequest) -> Result<Location, Error> {
        self.answer()?;
        Ok(Location::parse(&format!("bank.example/{}", request.txid)).unwrap())
    }

    fn remove(&self, _: &RemovalRequest) -> Result<(), Error> {
        self.answer()
    }

    fn give_back(&self, request: &ReturnRequest) -> Result<String, Error> {
        self.answer()?;
        Ok(format!("back:{}", request.return_id))
    }

    fn refund(&self, refund: &Refund) -> Result<PayoutAnswer, Error> {
        self.take(&self.refunded, refund.id)
    }

    fn look_up_refund(&self, refund: &Refund) -> Result<PayoutAnswer, Error> {
        self.became(&self.refunded, &refund.id, || refund.return_id(START))
    }
}

impl PayoutProvider for Bank {
    fn key_owner(&self, key: &PixKey) -> Result<Option<KeyOwner>, Error> {
        self.answer()?;
        let document = Document::parse(if key.kind() == PixKeyKind::Cpf {
            key.as_str()
        } else {
            "00000000191"
        });
        Ok(Some(KeyOwner {
            document: document.unwrap(),
            name: None,
        }))
    }

    fn send(&self, payout: &Payout) -> Result<PayoutAnswer, Error> {
        self.take(&self.sent, payout.id)
    }

    fn look_up(&self, payout: &Payout) -> Result<PayoutAnswer, Error> {
        self.became(&self.sent, &payout.id, || payout.authentication(START))
    }
}

impl BoletoProvider for Bank {
    fn register_boleto(&self, request: &BoletoRequest) -> Result<RegisteredBoleto, Error> {
        self.answer()?;
        let title = Title {
            bank: BankCode::parse("001").unwrap(),
            free_field: FreeField::parse("1234567890123456789012345").unwrap(),
            amount: Some(request.amount),
            due_date: Some(request.due_date),
        };
        Ok(RegisteredBoleto {
            wallet: "17".to_owned(),
            our_number: "123".to_owned(),
            barcode: title.barcode().unwrap(),
            location: Location::parse(&format!("bank.example/{}", request.txid)).unwrap(),
        })
    }

    fn write_off(&self, _: &WriteOffRequest) -> Result<(), Error> {
        self.answer()
    }

    fn slip_issuer(&self) -> SlipIssuer {
        SlipIssuer {
            bank_name: "Bank".to_owned(),
            bank_code: "001-9".to_owned(),
            agency: "1 / 2".to_owned(),
        }
    }
}

impl BillProvider for Bank {
    fn terms(&self, _: Owner, bill: &BillCode, day: Date) -> Result<BillTerms, Error> {
        self.answer()?;
        let original = bill.amount().unwrap_or(Centavos::ZERO);
        let none = Centavos::ZERO;
        let amounts = BillAmounts {
            original,
            interest: none,
            fine: none,
            discount: none,
            rebate: none,
            total: original,
        };
        Ok(BillTerms {
            bank: None,
            beneficiary: None,
            due_date: bill.due_date(day),
            payable: true,
            amounts,
        })
    }
}

mockall::mock! {
    /// A bank whose every answer is told.
    pub(crate) Bank {}

    impl PixProvider for Bank {
        fn register(&self, request: &PixRequest) -> Result<Location, Error>;
        fn remove(&self, request: &RemovalRequest) -> Result<(), Error>;
        fn give_back(&self, request: &ReturnRequest) -> Result<String, Error>;
        fn refund(&self, refund: &Refund) -> Result<PayoutAnswer, Error>;
        fn look_up_refund(&self, refund: &Refund) -> Result<PayoutAnswer, Error>;
    }

    impl PayoutProvider for Bank {
        fn key_owner(&self, key: &PixKey) -> Result<Option<KeyOwner>, Error>;
        fn send(&self, payout: &Payout) -> Result<PayoutAnswer, Error>;
        fn look_up(&self, payout: &Payout) -> Result<PayoutAnswer, Error>;
    }

    impl BoletoProvider for Bank {
        fn register_boleto(&self, request: &BoletoRequest) -> Result<RegisteredBoleto, Error>;
        fn write_off(&self, request: &WriteOffRequest) -> Result<(), Error>;
        fn slip_issuer(&self) -> SlipIssuer;
    }

    impl BillProvider for Bank {
        fn terms(&self, owner: Owner, bill: &BillCode, day: Date) -> Result<BillTerms, Error>;
    }
}
