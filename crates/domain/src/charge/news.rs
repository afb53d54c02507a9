//! What events say of a charge.

use crate::charge::{Charge, ChargeKind, Status};
use crate::error::Error;
use crate::event::{Data, EventId, EventKind, News, PayerData};

impl Charge {
    /// Which event tells of its status, if one does: none tells of an open charge, and none of a failed boleto (api.md,
    /// Event kinds).
    pub(crate) fn event_due(&self) -> Option<EventKind> {
        match (&self.status, &self.kind) {
            (Status::Pending, _) | (Status::Failed(_), ChargeKind::Boleto(_)) => None,
            (Status::Paid(_), ChargeKind::PixQrCode) => Some(EventKind::PixQrCodePaid),
            (Status::Paid(_), ChargeKind::Boleto(_)) => Some(EventKind::BoletoPaid),
            (Status::Failed(_), ChargeKind::PixQrCode) => Some(EventKind::PixQrCodeFailed),
        }
    }

    /// What the event about this charge's status says, if there is one.
    pub(crate) fn news(&self, id: EventId) -> Result<Option<News<'_>>, Error> {
        let Some(kind) = self.event_due() else {
            return Ok(None);
        };
        let metadata = self
            .metadata
            .as_ref()
            .map(|metadata| serde_json::from_str(metadata.as_str()));
        let metadata = metadata
            .transpose()
            .map_err(|error| Error::bug(format!("stored metadata: {error}")))?;
        let mut data = Data {
            id: self.public_id(),
            kind: self.kind.as_str(),
            status: "PENDING",
            amount: self.amount.get(),
            net_amount: self.net_amount.get(),
            paid_at: None,
            payer: None,
            end_to_end_id: None,
            failure_reason: None,
            metadata,
        };
        match &self.status {
            Status::Pending => {}
            Status::Paid(payment) => {
                data.status = "PAID";
                data.paid_at = Some(payment.paid_at.to_string());
                data.payer = Some(PayerData {
                    name: payment.payer.name.as_deref(),
                    document: payment.payer.document.as_deref(),
                    bank: payment.payer.bank.as_deref(),
                });
                data.end_to_end_id = Some(payment.end_to_end_id.as_str());
            }
            Status::Failed(failure) => {
                data.status = failure.by.as_str();
                data.failure_reason = Some(&failure.reason);
            }
        }
        Ok(Some(News {
            id,
            owner: self.owner,
            kind,
            object: self.id.0,
            data,
        }))
    }
}
