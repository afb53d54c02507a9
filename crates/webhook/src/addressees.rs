//! Endpoints made ready for sending, kept while they do not change.

use std::collections::HashMap;
use std::sync::Arc;

use vintem_domain::webhook::{Claimed, WebhookSecret, WebhookUrl};
use vintem_domain::{Environment, Owner};

use crate::address::AddressPolicy;
use crate::failure::Failure;
use crate::signature::Signer;
use crate::target::Target;

/// Which addresses the endpoints of each environment may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressRules {
    /// For sandboxes.
    pub sandbox: AddressPolicy,
    /// For live mode, where private addresses allowed also means plain http allowed.
    pub live: AddressPolicy,
}

impl AddressRules {
    fn policy(self, environment: Environment) -> AddressPolicy {
        match environment {
            Environment::Sandbox => self.sandbox,
            Environment::Live => self.live,
        }
    }
}

/// An endpoint with its keys scheduled and its URL parsed.
#[derive(Debug)]
pub(crate) struct Addressee {
    url: WebhookUrl,
    secret: WebhookSecret,
    previous_secret: Option<WebhookSecret>,
    /// Where to and how, or why nothing can be sent there.
    pub(crate) ready: Result<(Target, Signer), Failure>,
}

impl Addressee {
    fn new(claimed: &Claimed, policy: AddressPolicy) -> Self {
        Self {
            url: claimed.url.clone(),
            secret: claimed.secret.clone(),
            previous_secret: claimed.previous_secret.clone(),
            ready: ready(claimed, policy),
        }
    }

    fn fits(&self, claimed: &Claimed) -> bool {
        self.url == claimed.url
            && self.secret == claimed.secret
            && self.previous_secret == claimed.previous_secret
    }
}

fn ready(claimed: &Claimed, policy: AddressPolicy) -> Result<(Target, Signer), Failure> {
    let live = claimed.owner.environment == Environment::Live;
    let https_required = live && !policy.allow_private;
    let target = Target::parse(claimed.url.as_str(), policy, https_required)?;
    let previous = claimed.previous_secret.as_ref().map(WebhookSecret::reveal);
    let signer = Signer::parse(claimed.secret.reveal(), previous)
        .map_err(|_discloses_nothing| Failure::SecretUnusable)?;
    Ok((target, signer))
}

/// The endpoints sent to lately.
#[derive(Debug)]
pub(crate) struct Addressees {
    rules: AddressRules,
    known: HashMap<Owner, Arc<Addressee>>,
}

/// About a kibibyte each.
const KNOWN_AT_MOST: usize = 4_096;

impl Addressees {
    pub(crate) fn new(rules: AddressRules) -> Self {
        Self {
            rules,
            known: HashMap::new(),
        }
    }

    /// The endpoint this attempt goes to, made ready anew only when its URL or a secret changed.
    pub(crate) fn of(&mut self, claimed: &Claimed) -> Arc<Addressee> {
        if let Some(known) = self.known.get(&claimed.owner)
            && known.fits(claimed)
        {
            return known.clone();
        }
        if self.known.len() >= KNOWN_AT_MOST {
            self.known.clear();
        }
        let policy = self.rules.policy(claimed.owner.environment);
        let fresh = Arc::new(Addressee::new(claimed, policy));
        self.known.insert(claimed.owner, fresh.clone());
        fresh
    }
}
