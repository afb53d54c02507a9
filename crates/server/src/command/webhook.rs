//! `vintem webhook`

use serde::Serialize;
use serde_json::json;
use vintem_domain::error::{Error, Missing};
use vintem_domain::ports::Transact as _;
use vintem_domain::webhook::{self, Attempt, EndpointView, Resend};
use vintem_domain::{Owner, Ports};

use crate::cli::{Webhook as Asked, WebhookLog, WebhookResend};
use crate::config::Config;
use crate::failure::Failure;
use crate::{installation, output};

pub(super) fn run(asked: Asked, config: &Config) -> Result<(), Failure> {
    let shared = installation::for_command(config)?;
    let ports = &shared.ports();
    match asked {
        Asked::Set(asked) => {
            let allow_private = config.webhook_allow_private.unwrap_or(false);
            let view = webhook::set(ports, asked.owner.into(), &asked.url, allow_private)?;
            output::print(&Set {
                url: view.endpoint.url.as_str(),
                secret: view.secret.reveal(),
            })
        }
        Asked::Show(owner) => output::print(&Shown::new(&webhook::show(ports, owner.into())?)),
        Asked::Roll(owner) => output::print(&Shown::new(&webhook::roll(ports, owner.into())?)),
        Asked::Disable(owner) => {
            output::print(&Shown::new(&webhook::disable(ports, owner.into())?))
        }
        Asked::Log(asked) => log(ports, &asked),
        Asked::Resend(asked) => resend(ports, &asked),
    }
}

/// An endpoint that was just set.
#[derive(Serialize)]
struct Set<'a> {
    url: &'a str,
    secret: &'a str,
}

/// An endpoint as its owner sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    url: String,
    secret: String,
    previous_secret_until: Option<String>,
    enabled: bool,
    disabled_at: Option<String>,
    disabled_because: Option<&'static str>,
    failing_since: Option<String>,
    created_at: String,
}

impl Shown {
    fn new(view: &EndpointView) -> Self {
        let endpoint = &view.endpoint;
        Self {
            url: endpoint.url.as_str().to_owned(),
            secret: view.secret.reveal().to_owned(),
            previous_secret_until: endpoint
                .previous
                .as_ref()
                .map(|(_, until)| until.to_string()),
            enabled: endpoint.disabled.is_none(),
            disabled_at: endpoint.disabled.map(|(at, _)| at.to_string()),
            disabled_because: endpoint.disabled.map(|(_, because)| because.as_str()),
            failing_since: endpoint.failing_since.map(|at| at.to_string()),
            created_at: endpoint.created_at.to_string(),
        }
    }
}

fn log(ports: &Ports, asked: &WebhookLog) -> Result<(), Failure> {
    let owner: Owner = asked.owner.into();
    let attempts = ports.store.read(|read| match asked.event {
        None => read.latest_attempts(owner, usize::from(asked.limit)),
        Some(event) => {
            read.event(owner, event)?
                .ok_or(Error::NotFound(Missing::Event))?;
            read.attempts(owner, event)
        }
    })?;
    let lines: Vec<Logged> = attempts.iter().map(Logged::new).collect();
    output::print(&lines)
}

/// A line of the delivery log.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Logged {
    event: String,
    number: i64,
    started_at: String,
    duration_ms: i64,
    outcome: &'static str,
    status: Option<u16>,
    error: Option<String>,
    answer: String,
}

impl Logged {
    pub(super) fn new(attempt: &Attempt) -> Self {
        Self {
            event: attempt.event.to_string(),
            number: attempt.number,
            started_at: attempt.started_at.to_string(),
            duration_ms: attempt.duration_ms,
            outcome: attempt.outcome.as_str(),
            status: attempt.status,
            error: attempt.error.clone(),
            answer: attempt.answer.clone(),
        }
    }
}

fn resend(ports: &Ports, asked: &WebhookResend) -> Result<(), Failure> {
    let which = match (asked.event, asked.from, asked.to, asked.failed_since) {
        (Some(event), ..) => Resend::One(event),
        (None, Some(from), Some(to), _) => Resend::Range { from, to },
        (.., Some(since)) => Resend::FailedSince(since),
        (None, ..) => return Err(Failure::Usage("say which events".to_owned())),
    };
    let count = webhook::resend(ports, asked.owner.into(), which)?;
    output::print(&json!({ "resent": count }))
}
