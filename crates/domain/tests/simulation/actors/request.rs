//! What merchants ask for, and what they remember of the answers.

use vintem_domain::Error;
use vintem_domain::account::{Origin, Owner};
use vintem_domain::bill::{self, ExternalId, QuoteId};
use vintem_domain::boleto::{self, BoletoAmount, Cep, DueDays, NewBoleto, SlipPayer};
use vintem_domain::charge::{self, Charge, ChargeAmount, ChargeId, Customer, ExpiresIn, NewCharge};
use vintem_domain::document::Document;
use vintem_domain::id::Ulid;
use vintem_domain::idempotency::{self, Attempt, IdempotencyKey, Route};
use vintem_domain::payout::{Payout, PayoutId};
use vintem_domain::pix_key::{PixKey, PixKeyKind};
use vintem_domain::text::Name;
use vintem_domain::withdrawal::{self, NewWithdrawal, WithdrawalAmount};

use crate::narration::reais;
use crate::world::{World, locked};

/// What a merchant asks for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    owner: Owner,
    origin: Origin,
    body: Body,
    key: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    Charge {
        centavos: i64,
        seconds: i64,
        pass_fee: bool,
    },
    Boleto {
        centavos: i64,
        days: i64,
        pass_fee: bool,
    },
    Withdrawal {
        centavos: i64,
        to: String,
        document: &'static str,
        pass_fee: bool,
    },
    Bill {
        quote: QuoteId,
        name: String,
    },
}

impl Body {
    fn route(&self) -> Route {
        match self {
            Self::Charge { .. } => Route::PixCreate,
            Self::Boleto { .. } => Route::BoletoCreate,
            Self::Withdrawal { .. } => Route::WithdrawCreate,
            Self::Bill { .. } => Route::BoletoPay,
        }
    }

    fn words(&self) -> String {
        let on_top = |pass_fee: &bool| if *pass_fee { " and the fee" } else { "" };
        match self {
            Self::Charge {
                centavos,
                seconds,
                pass_fee,
            } => {
                let amount = reais(*centavos);
                format!(
                    "asks for a charge of {amount}{} for {seconds} s",
                    on_top(pass_fee)
                )
            }
            Self::Boleto {
                centavos,
                days,
                pass_fee,
            } => {
                let amount = reais(*centavos);
                format!(
                    "issues a boleto of {amount}{} due in {days} days",
                    on_top(pass_fee)
                )
            }
            Self::Withdrawal {
                centavos,
                to,
                pass_fee,
                ..
            } => {
                let amount = reais(*centavos);
                format!("withdraws {amount}{} to {to}", on_top(pass_fee))
            }
            Self::Bill { quote, name } => format!("pays the title of {quote} as {name:?}"),
        }
    }
}

impl Request {
    fn attempt(&self) -> Option<Attempt> {
        let key = IdempotencyKey::parse(self.key.as_deref()?).unwrap();
        let words = self.body.words();
        let sum = |base: u64| {
            let step = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
            words.bytes().fold(base, step)
        };
        let mut body_digest = [0; 32];
        body_digest[..8].copy_from_slice(&sum(0xCBF2_9CE4_8422_2325).to_le_bytes());
        body_digest[8..16].copy_from_slice(&sum(7).to_le_bytes());
        Some(Attempt { key, body_digest })
    }
}

/// Now and then with a key, now and then with one that was used before.
pub(super) fn key(world: &World) -> Option<String> {
    let mut memory = locked(&world.memory);
    memory.names += 1;
    let fresh = memory.names;
    drop(memory);
    let older = i64::try_from(fresh).unwrap();
    world
        .weighted(&[(4, None), (6, Some(0)), (1, Some(1))])
        .map(|back| {
            let number = if back == 0 {
                older
            } else {
                world.between(1, older)
            };
            format!("key {number}")
        })
}

pub(super) fn ask(world: &World, owner: Owner, body: Body) {
    let request = Request {
        owner,
        origin: world.weighted(&[(3, Origin::Api), (1, Origin::Agent)]),
        body,
        key: key(world),
    };
    locked(&world.memory).requests.push(request.clone());
    send(world, &request);
}

pub(crate) fn repeats_a_request(world: &World) {
    let requests = locked(&world.memory).requests.clone();
    if let Some(mut request) = world.pick(&requests) {
        // The same key with something else is refused.
        if world.chance(100)
            && let Body::Withdrawal { centavos, .. } | Body::Charge { centavos, .. } =
                &mut request.body
        {
            *centavos += 1;
        }
        world.tell(|| "once more:".to_owned());
        send(world, &request);
    }
}

/// The same request reaches another server at the same time.
pub(crate) fn sends_the_current_request_too(world: &World) {
    let current = locked(&world.memory).current.clone();
    if let Some(request) = current {
        world.count("one request raced with itself");
        serve(world, &request);
    }
}

fn send(world: &World, request: &Request) {
    locked(&world.memory).current = Some(request.clone());
    serve(world, request);
    locked(&world.memory).current = None;
}

/// What the product answers with.
enum Made {
    Charge(Charge),
    Payout(Payout),
}

impl Made {
    fn id(&self) -> Ulid {
        match self {
            Self::Charge(charge) => charge.id.0,
            Self::Payout(payout) => payout.id.0,
        }
    }
}

fn serve(world: &World, request: &Request) {
    let owner = request.owner;
    world.tell(|| {
        let key = request
            .key
            .as_ref()
            .map_or_else(String::new, |key| format!(" ({key})"));
        format!("{} {}{key}", world.name(owner), request.body.words())
    });
    let Some(made) = world.answered("a request", create(world, request)) else {
        return;
    };
    let id = made.id();
    remember_names(world, request, id);
    let mut memory = locked(&world.memory);
    memory.acknowledged.push((owner, id));
    match made {
        Made::Charge(charge) => {
            let words = format!(
                "  -> {} PENDING until {}",
                charge.public_id(),
                charge.expires_at
            );
            memory.charges.push(charge);
            drop(memory);
            world.tell(|| words);
            world.count("a charge was made");
        }
        Made::Payout(payout) => {
            drop(memory);
            world.tell(|| format!("  -> {} {}", payout.public_id(), payout.status.as_str()));
            world.count(payout.purpose.kind());
        }
    }
}

/// One key and one `externalId` stand for one object, for ever.
fn remember_names(world: &World, request: &Request, id: Ulid) {
    let mut names = Vec::new();
    if let Some(key) = &request.key {
        names.push((
            request.body.route().as_str(),
            key.clone(),
            request.body.words(),
        ));
    }
    if let Body::Bill { name, .. } = &request.body {
        names.push((
            Route::BoletoPayExternalId.as_str(),
            name.clone(),
            String::new(),
        ));
    }
    for (route, name, body) in names {
        stands_for(world, request.owner, (route, name, body), id);
    }
}

/// A name with a body stands for this object, now and for ever.
pub(super) fn stands_for(
    world: &World,
    owner: Owner,
    (route, name, body): (&'static str, String, String),
    id: Ulid,
) {
    let mut memory = locked(&world.memory);
    let place = (owner, route, name.clone());
    let known = memory.answers.entry(place);
    let known = known.or_insert((body.clone(), id)).clone();
    drop(memory);
    if known != (body, id) {
        let first = known.1;
        world.fault(format!(
            "{name} of {route} stood for {first}, now for {id} or another body"
        ));
    }
}

/// As the HTTP side does it: an earlier answer to the same key first, then the use case.
fn create(world: &World, request: &Request) -> Result<Made, Error> {
    let ports = world.ports();
    let (owner, origin) = (request.owner, request.origin);
    let attempt = request.attempt();
    let attempt = attempt.as_ref();
    if let Some(attempt) = attempt
        && let Some(id) = idempotency::earlier(&ports, owner, request.body.route(), attempt)?
    {
        world.count("a key was repeated");
        return match &request.body {
            Body::Charge { .. } | Body::Boleto { .. } => {
                Ok(Made::Charge(charge::show(&ports, owner, ChargeId(id))?.0))
            }
            Body::Withdrawal { .. } | Body::Bill { .. } => {
                Ok(Made::Payout(withdrawal::show(&ports, owner, PayoutId(id))?))
            }
        };
    }
    let made = match &request.body {
        Body::Charge {
            centavos,
            seconds,
            pass_fee,
        } => {
            let new = new_charge(*centavos, *seconds, *pass_fee)?;
            Made::Charge(charge::create(&ports, owner, origin, &new, attempt)?.object)
        }
        Body::Boleto {
            centavos,
            days,
            pass_fee,
        } => {
            let new = new_boleto(*centavos, *days, *pass_fee)?;
            Made::Charge(boleto::create(&ports, owner, origin, &new, attempt)?.object)
        }
        Body::Withdrawal {
            centavos,
            to,
            document,
            pass_fee,
        } => {
            let new = new_withdrawal(*centavos, to, document, *pass_fee)?;
            Made::Payout(withdrawal::create(&ports, owner, origin, &new, attempt)?.object)
        }
        Body::Bill { quote, name } => {
            let name = ExternalId::parse(name).unwrap();
            Made::Payout(bill::pay(&ports, owner, origin, Some(*quote), &name, attempt)?.object)
        }
    };
    Ok(made)
}

fn invalid(error: impl std::fmt::Display) -> Error {
    Error::invalid("amountCents", error)
}

fn new_charge(centavos: i64, seconds: i64, pass_fee: bool) -> Result<NewCharge, Error> {
    Ok(NewCharge {
        amount: ChargeAmount::parse(centavos).map_err(invalid)?,
        description: None,
        expires_in: ExpiresIn::parse(seconds).map_err(invalid)?,
        customer: Customer::default(),
        metadata: None,
        pass_fee,
    })
}

fn new_boleto(centavos: i64, days: i64, pass_fee: bool) -> Result<NewBoleto, Error> {
    Ok(NewBoleto {
        amount: BoletoAmount::parse(centavos).map_err(invalid)?,
        description: None,
        payer: SlipPayer {
            name: Name::parse("Ana Souza").unwrap().unwrap(),
            document: Document::parse("00000000191").unwrap(),
            cep: Cep::parse("01310100").unwrap(),
        },
        due_days: DueDays::parse(days).map_err(invalid)?,
        pass_fee,
        metadata: None,
    })
}

fn new_withdrawal(
    centavos: i64,
    to: &str,
    document: &str,
    pass_fee: bool,
) -> Result<NewWithdrawal, Error> {
    Ok(NewWithdrawal {
        amount: WithdrawalAmount::parse(centavos).map_err(invalid)?,
        key: PixKey::parse(PixKeyKind::Email, to).unwrap(),
        beneficiary_name: None,
        description: None,
        recipient_document: Document::parse(document).ok(),
        pass_fee,
    })
}
