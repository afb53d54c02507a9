//! What a receipt says, section by section.

use vintem_domain::bill::{BillCode, Segment};
use vintem_domain::money::Centavos;
use vintem_domain::receipt::{GivenBack, PaidBill, Party, Receipt, ReceiptPurpose, SentPix};

use crate::paper::{day, punctuated, reais, sao_paulo};

/// What stands over a receipt of a sandbox.
pub(super) const SANDBOX: &str = "SANDBOX · sem valor";
/// What stands over a receipt of the play bank in live mode.
pub(super) const PLAY_BANK: &str = "BANCO DE TESTES · sem valor";
/// What that means.
pub(super) const NO_VALUE_MEANS: &str =
    "Ambiente de testes: nenhum dinheiro foi movimentado, e este documento não comprova pagamento.";

/// Rows under a title.
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) rows: Vec<Row>,
}

/// A label and what stands beside it.
pub(super) struct Row {
    pub(super) label: &'static str,
    pub(super) value: String,
    /// After so many lines it is cut.
    pub(super) most_lines: usize,
    pub(super) strong: bool,
}

impl Row {
    fn new(label: &'static str, value: impl Into<String>) -> Self {
        Self {
            label,
            value: value.into(),
            most_lines: 3,
            strong: false,
        }
    }

    fn strong(self) -> Self {
        Self {
            strong: true,
            ..self
        }
    }

    /// A text people wrote, which may be long.
    fn text(label: &'static str, value: impl Into<String>) -> Self {
        Self {
            most_lines: 6,
            ..Self::new(label, value)
        }
    }

    fn amount(label: &'static str, amount: Centavos) -> Self {
        Self::new(label, format!("R$ {}", reais(amount)))
    }
}

/// What the receipt is called.
pub(super) fn title(receipt: &Receipt) -> &'static str {
    match &receipt.purpose {
        ReceiptPurpose::Withdrawal(_) => "Comprovante de transferência PIX",
        ReceiptPurpose::Bill(bill) => match bill.code {
            BillCode::Boleto(_) => "Comprovante de pagamento de boleto",
            BillCode::Collection(_) => "Comprovante de pagamento de tributo ou conta",
        },
        ReceiptPurpose::Refund(_) => "Comprovante de devolução PIX",
    }
}

/// Everything between the title and the foot.
pub(super) fn sections(receipt: &Receipt) -> Vec<Section> {
    let mut sections = vec![money(receipt), payer(receipt)];
    sections.extend(match &receipt.purpose {
        ReceiptPurpose::Withdrawal(sent) => vec![recipient_of(sent)],
        ReceiptPurpose::Bill(bill) => vec![beneficiary(bill), title_of(bill)],
        ReceiptPurpose::Refund(back) => vec![
            Section {
                title: "Quem recebeu a devolução",
                rows: party(&back.recipient),
            },
            original(back),
        ],
    });
    sections.push(identification(receipt));
    sections
}

fn money(receipt: &Receipt) -> Section {
    let amount = match &receipt.purpose {
        ReceiptPurpose::Withdrawal(_) => "Valor transferido",
        ReceiptPurpose::Bill(_) => "Valor pago",
        ReceiptPurpose::Refund(_) => "Valor devolvido",
    };
    Section {
        title: "Valores",
        rows: vec![
            Row::amount(amount, receipt.amount).strong(),
            Row::amount("Tarifa", receipt.fee),
            Row::amount("Total debitado", receipt.debited).strong(),
            Row::new("Data e hora", sao_paulo(receipt.paid_at)),
            Row::new("Situação", "Efetivado"),
        ],
    }
}

fn payer(receipt: &Receipt) -> Section {
    let title = match &receipt.purpose {
        ReceiptPurpose::Withdrawal(_) | ReceiptPurpose::Bill(_) => "Quem pagou",
        ReceiptPurpose::Refund(_) => "Quem devolveu",
    };
    let mut rows = vec![Row::new("Nome", &receipt.payer)];
    rows.extend(
        receipt
            .payer_document
            .as_ref()
            .map(|document| Row::new("CPF/CNPJ", punctuated(document))),
    );
    Section { title, rows }
}

fn recipient_of(sent: &SentPix) -> Section {
    let mut rows = party(&sent.recipient);
    let named = sent.recipient_by_payer.as_ref();
    rows.extend(named.map(|name| Row::new("Nome informado por quem pagou", name)));
    rows.push(Row::new("Chave PIX", &sent.pix_key));
    rows.extend(
        sent.description
            .as_ref()
            .map(|it| Row::text("Descrição", it)),
    );
    Section {
        title: "Quem recebeu",
        rows,
    }
}

fn party(party: &Party) -> Vec<Row> {
    let fields = [
        ("Nome", &party.name),
        ("CPF/CNPJ", &party.document),
        ("Instituição", &party.bank),
    ];
    let rows = fields.into_iter();
    rows.filter_map(|(label, value)| Some(Row::new(label, value.as_ref()?)))
        .collect()
}

fn beneficiary(bill: &PaidBill) -> Section {
    let mut rows = Vec::new();
    if let BillCode::Collection(barcode) = &bill.code {
        rows.push(Row::new("Segmento", segment(barcode.segment())));
    }
    let fields = [("Nome", &bill.beneficiary), ("Banco emissor", &bill.bank)];
    let known = fields.into_iter();
    rows.extend(known.filter_map(|(label, value)| Some(Row::new(label, value.as_ref()?))));
    Section {
        title: "Beneficiário",
        rows,
    }
}

/// Who collects, as FEBRABAN's layout for collection documents calls them.
fn segment(segment: Segment) -> &'static str {
    match segment {
        Segment::Municipality => "Prefeitura",
        Segment::Water => "Saneamento",
        Segment::Energy => "Energia elétrica e gás",
        Segment::Telecom => "Telecomunicações",
        Segment::Government => "Órgão governamental",
        Segment::Company => "Carnê, empresa ou órgão identificado pelo CNPJ",
        Segment::TrafficFine => "Multa de trânsito",
        Segment::Bank => "Uso exclusivo do banco",
    }
}

fn title_of(bill: &PaidBill) -> Section {
    let amounts = &bill.amounts;
    let mut rows = vec![Row::new("Linha digitável", bill.code.printed_line())];
    rows.extend(bill.due_date.map(|due| Row::new("Vencimento", day(due))));
    rows.extend([
        Row::amount("Valor original", amounts.original),
        Row::amount("Multa", amounts.fine),
        Row::amount("Juros", amounts.interest),
        Row::amount("Desconto", amounts.discount),
        Row::amount("Abatimento", amounts.rebate),
        Row::amount("Valor final", amounts.total).strong(),
        Row::new("Identificação de quem pagou", &bill.external_id),
    ]);
    Section {
        title: "Documento pago",
        rows,
    }
}

fn original(back: &GivenBack) -> Section {
    let mut rows = vec![
        Row::new("Cobrança", &back.charge),
        Row::amount("Valor recebido", back.paid),
        Row::new("Recebido em", sao_paulo(back.paid_at)),
        Row::new("ID da transação original", &back.end_to_end_id),
    ];
    rows.extend(
        back.reason
            .as_ref()
            .map(|it| Row::text("Motivo da devolução", it)),
    );
    Section {
        title: "Pagamento original",
        rows,
    }
}

fn identification(receipt: &Receipt) -> Section {
    let label = match &receipt.purpose {
        ReceiptPurpose::Withdrawal(_) => "ID da transação (endToEndId)",
        ReceiptPurpose::Bill(_) => "Autenticação",
        ReceiptPurpose::Refund(_) => "ID da devolução",
    };
    Section {
        title: "Identificação",
        rows: vec![
            Row::new(label, &receipt.authentication),
            Row::new("Identificador no Vintém", &receipt.id),
        ],
    }
}
