//! The play bank sends money out: withdrawals and third-party payments (decisions §5, §6, §11).

use serde::{Deserialize, Serialize};
use vintem_domain::account::Environment;
use vintem_domain::document::Document;
use vintem_domain::error::{Error, ProviderFailure};
use vintem_domain::payout::{Payout, PayoutAnswer, Purpose};
use vintem_domain::pix_key::PixKey;
use vintem_domain::provider::{KeyOwner, Outgoing, PayoutProvider};

use super::{PROVIDER, Stub};

/// How long settlement takes: about 1 s in live mode, about 2 s in a sandbox.
const LIVE_DELAY_MS: i64 = 1_000;
const SANDBOX_DELAY_MS: i64 = 2_000;

/// Final amounts with this remainder of 100 centavos fail in a sandbox; in `unknown` mode they never arrive.
const UNLUCKY_CENTAVOS: i64 = 13;

/// What the bank remembers of a payout it was told of.
#[derive(Serialize, Deserialize)]
struct Accepted {
    at_ms: i64,
    settles: bool,
}

fn key(payout: &Payout) -> String {
    format!("payout/{}", payout.id.0)
}

fn is_unlucky(payout: &Payout) -> bool {
    payout.amount.get() % 100 == UNLUCKY_CENTAVOS
}

impl Stub {
    fn accept(&self, payout: &Payout, settles: bool) -> Result<(), Error> {
        let accepted = Accepted { at_ms: self.clock.now().millis(), settles };
        let body = serde_json::to_string(&accepted)
            .map_err(|error| Error::bug(format!("the play bank's record: {error}")))?;
        // A record that is there already is the same payout, sent before: it stands.
        self.records.remember(PROVIDER, &key(payout), 0, &body)?;
        Ok(())
    }

    fn accepted(&self, payout: &Payout) -> Result<Option<Accepted>, Error> {
        let Some(record) = self.records.recall(PROVIDER, &key(payout))? else { return Ok(None) };
        let accepted = serde_json::from_str(&record.body);
        accepted.map(Some).map_err(|error| Error::bug(format!("the play bank cannot read its own record: {error}")))
    }
}

impl PayoutProvider for Stub {
    /// A CPF or CNPJ key belongs to that document, any other key to the sandbox payer's (decisions §6).
    fn key_owner(&self, key: &PixKey) -> Result<Option<KeyOwner>, Error> {
        self.answer()?;
        let document = match key.document() {
            Some(document) => document,
            None => Document::parse("00000000191").map_err(|error| Error::bug(format!("the play bank's payee {error}")))?,
        };
        Ok(Some(KeyOwner { document, name: None }))
    }

    fn send(&self, payout: &Payout) -> Result<PayoutAnswer, Error> {
        let state = self.answer()?;
        let mode = match &payout.purpose {
            Purpose::Withdrawal(_) => state.withdrawals,
            Purpose::Bill(_) => state.bills,
        };
        let fails_by_rule = payout.owner.environment == Environment::Sandbox && is_unlucky(payout);
        match mode {
            Outgoing::Settle => self.accept(payout, !fails_by_rule)?,
            Outgoing::Fail => self.accept(payout, false)?,
            Outgoing::Unknown => {
                if !is_unlucky(payout) {
                    self.accept(payout, true)?;
                }
                return Err(ProviderFailure::Unknown.into());
            }
        }
        Ok(PayoutAnswer::UnderWay)
    }

    fn look_up(&self, payout: &Payout) -> Result<PayoutAnswer, Error> {
        self.answer()?;
        let Some(accepted) = self.accepted(payout)? else { return Ok(PayoutAnswer::NeverReceived) };
        let delay = match payout.owner.environment {
            Environment::Live => LIVE_DELAY_MS,
            Environment::Sandbox => SANDBOX_DELAY_MS,
        };
        if self.clock.now().millis() < accepted.at_ms.saturating_add(delay) {
            return Ok(PayoutAnswer::UnderWay);
        }
        if !accepted.settles {
            return Ok(PayoutAnswer::Failed { reason: "refused by the play bank".to_owned() });
        }
        Ok(PayoutAnswer::Settled { authentication: payout.authentication(accepted.at_ms)? })
    }
}
