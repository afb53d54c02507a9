//! A whole site for tests: the in-memory store, a clock that stands still, a provider that does as it is told.

mod provider;
mod store;

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use actix_web::http::Method;
use actix_web::http::header::HeaderMap;
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::web;
use serde_json::Value;
use vintem_domain::account::{
    self, Account, AccountChange, ClockMove, Environment, NewAccount, Owner, Policy, move_clock,
};
use vintem_domain::calendar::BankCalendar;
use vintem_domain::document::Document;
use vintem_domain::id::Ulid;
use vintem_domain::key::{self, KeyId, Lifetime, Scopes};
use vintem_domain::payout;
use vintem_domain::ports::{Cipher, Clock, Ids, Passwords, Signals, Store};
use vintem_domain::provider::{BankChange, BankState, PlayBank, Provider};
use vintem_domain::text::{Email, Name};
use vintem_domain::webhook::{Claimed, ServerId};
use vintem_domain::{Error, SharedPorts, Time};

use crate::keys::KeyCache;
use crate::metrics::Metrics;
use crate::ops::Readiness;
use crate::psp::stub::StubBank;
use crate::routes;
use crate::settings::HttpSettings;
use crate::site::{Parts, Site, TheSite};
pub(crate) use provider::ObedientProvider;
pub(crate) use store::HaltingStore;

/// The secret of the play bank.
pub(crate) const STUB_SECRET: &str = "stub-secret";
/// 2026-09-21T14:13:20.007Z, where the clock stands.
pub(crate) const NOW: i64 = 1_790_000_000_007;

#[derive(Default)]
struct Nothing;

impl Signals for Nothing {
    fn deliveries_due(&self, _: Owner) {}

    fn take_place(&self, _owner: Owner) -> Option<ServerId> {
        None
    }

    fn fill_place(&self, _owner: Owner, _begun: Option<Claimed>) {}
    fn returns_due(&self) {}
    fn payouts_waiting(&self) {}
}

impl Cipher for Nothing {
    fn seal(&self, _: &str, plain: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(plain.to_vec())
    }

    fn open(&self, _: &str, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(sealed.to_vec())
    }
}

impl Passwords for Nothing {
    fn hash(&self, password: &str) -> Result<String, Error> {
        Ok(password.to_owned())
    }

    fn verify(&self, password: &str, hash: &str) -> bool {
        password == hash
    }
}

pub(crate) struct StandingClock(AtomicI64);

impl StandingClock {
    pub(crate) fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::Relaxed);
    }
}

impl Clock for StandingClock {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::Relaxed))
    }
}

#[derive(Default)]
struct Counting(AtomicU64);

impl Counting {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

impl Ids for Counting {
    fn ulid(&self) -> Ulid {
        Ulid::from_parts(NOW.unsigned_abs(), u128::from(self.next()))
    }

    fn random(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&self.next().to_le_bytes());
        bytes
    }
}

#[derive(Default)]
pub(crate) struct Bank(Mutex<BankState>);

impl PlayBank for Bank {
    fn state(&self) -> Result<BankState, Error> {
        Ok(*self.0.lock().unwrap())
    }

    fn change(&self, change: BankChange) -> Result<BankState, Error> {
        let mut state = self.0.lock().unwrap();
        *state = state.changed(change);
        Ok(*state)
    }
}

#[derive(Default)]
pub(crate) struct Switch(pub(crate) AtomicBool);

impl Readiness for Switch {
    fn check(&self) -> Result<(), String> {
        if self.0.load(Ordering::Relaxed) {
            Err("disk full at /secret/place".to_owned())
        } else {
            Ok(())
        }
    }
}

/// A site with one account, and what tests turn at it.
pub(crate) struct World {
    pub(crate) site: TheSite,
    pub(crate) ports: SharedPorts,
    pub(crate) keys: KeyCache,
    pub(crate) clock: Arc<StandingClock>,
    pub(crate) provider: Arc<ObedientProvider>,
    pub(crate) store: Arc<HaltingStore>,
    pub(crate) unready: Arc<Switch>,
    pub(crate) account: Account,
    pub(crate) test_key: String,
    pub(crate) live_key: String,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut Parts)) -> Self {
        let clock = Arc::new(StandingClock(AtomicI64::new(NOW)));
        let provider = Arc::new(ObedientProvider::default());
        let store = Arc::new(HaltingStore::default());
        let unready = Arc::new(Switch::default());
        let ports = SharedPorts {
            store: Arc::clone(&store) as Arc<dyn Store>,
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            ids: Arc::new(Counting::default()),
            cipher: Arc::new(Nothing),
            passwords: Arc::new(Nothing),
            sandbox_provider: Arc::clone(&provider) as Arc<dyn Provider>,
            live_provider: Arc::clone(&provider) as Arc<dyn Provider>,
            signals: Arc::new(Nothing),
            policy: Arc::new(Policy::DEFAULT),
            calendar: Arc::new(BankCalendar::national()),
        };
        let keys = KeyCache::new();
        let mut given = Parts {
            settings: HttpSettings {
                public_url: Some("https://pay.example/".to_owned()),
                ..HttpSettings::default()
            },
            ports: ports.clone(),
            stub: Some(StubBank {
                bank: Arc::new(Bank::default()),
                secret: STUB_SECRET.to_owned(),
            }),
            readiness: Arc::clone(&unready) as Arc<dyn Readiness>,
            metrics: Metrics::new("0.0.0", "memory"),
            keys: keys.clone(),
        };
        change(&mut given);
        let account = new_account(&ports, "ana@example.com");
        let key = |environment| new_key(&ports, &account, environment, Scopes::all()).1;
        Self {
            test_key: key(Environment::Sandbox),
            live_key: key(Environment::Live),
            site: web::Data::new(Site::new(given)),
            ports,
            keys,
            clock,
            provider,
            store,
            unready,
            account,
        }
    }

    /// A new key of the account.
    pub(crate) fn key(&self, environment: Environment, scopes: &str) -> (KeyId, String) {
        let scopes = Scopes::parse(scopes).unwrap();
        new_key(&self.ports, &self.account, environment, scopes)
    }

    /// The answer to a request.
    pub(crate) async fn send(&self, request: TestRequest) -> Answer {
        let app = init_service(routes::app(&self.site)).await;
        let response = call_service(&app, request.to_request()).await;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = read_body(response).await;
        Answer {
            status,
            headers,
            text: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    /// A request with the sandbox key.
    pub(crate) fn request(&self, method: Method, uri: &str) -> TestRequest {
        by(&self.test_key, method, uri)
    }

    pub(crate) async fn get(&self, uri: &str) -> Answer {
        self.send(self.request(Method::GET, uri)).await
    }

    pub(crate) async fn post(&self, uri: &str, body: &str) -> Answer {
        self.send(json(self.request(Method::POST, uri), body)).await
    }

    /// A request that knows the secret of the play bank.
    pub(crate) async fn bank(&self, uri: &str, body: &str) -> Answer {
        self.send(json(by(STUB_SECRET, Method::POST, uri), body))
            .await
    }

    /// A new charge of 4990 centavos.
    pub(crate) async fn charge(&self, key: &str) -> Value {
        let request = by(key, Method::POST, "/v1/pixQrCode/create");
        let answer = self.send(json(request, r#"{"amountCents":4990}"#)).await;
        answer.data()
    }
}

/// What a boleto of 10000 centavos needs.
pub(crate) const BOLETO: &str = r#"{"amountCents":10000,
    "payer":{"name":"Ana Souza","document":"52998224725","cep":"01310100"}}"#;

impl World {
    /// A new boleto of 10000 centavos, due in three days.
    pub(crate) async fn boleto(&self, key: &str) -> Value {
        let request = by(key, Method::POST, "/v1/boleto/create");
        self.send(json(request, BOLETO)).await.data()
    }

    /// Gives the account what live boletos print.
    pub(crate) fn complete_account(&self) {
        let change = AccountChange {
            document: Some(Document::parse("11222333000181").unwrap()),
            address: Name::parse("Rua Augusta, 1").unwrap(),
            ..AccountChange::default()
        };
        account::change(&self.ports.ports(), self.account.id, &change).unwrap();
    }

    /// Lets the account's live side receive so much, less the fee of 80 centavos.
    pub(crate) async fn fund(&self, centavos: i64) {
        let request = by(&self.live_key, Method::POST, "/v1/pixQrCode/create");
        let body = format!(r#"{{"amountCents":{centavos}}}"#);
        let charge = self.send(json(request, &body)).await.data();
        let notice = serde_json::json!({ "chargeId": charge["id"] }).to_string();
        let played = self.bank("/psp/stub/pix", &notice).await.data();
        assert_eq!(played["outcome"], "paid");
    }

    /// What the owner of the key can spend.
    pub(crate) async fn available(&self, key: &str) -> i64 {
        let store = self.send(by(key, Method::GET, "/v1/store")).await.data();
        store["available"].as_i64().unwrap()
    }

    /// Lets workers do all that is due now and for the next minute.
    pub(crate) fn work(&self) {
        for _ in 0..60 {
            payout::settle_due(&self.ports.ports(), 100).unwrap();
            self.clock.advance(1_000);
        }
    }

    /// Moves the sandbox forward.
    pub(crate) fn move_sandbox(&self, millis: i64) {
        let by = ClockMove::Advance(millis);
        move_clock(&self.ports.ports(), self.account.id, by).unwrap();
    }
}

/// A request with a bearer token.
pub(crate) fn by(token: &str, method: Method, uri: &str) -> TestRequest {
    TestRequest::with_uri(uri)
        .method(method)
        .peer_addr("192.0.2.1:4711".parse().unwrap())
        .insert_header(("Authorization", format!("Bearer {token}")))
}

pub(crate) fn json(request: TestRequest, body: &str) -> TestRequest {
    request
        .insert_header(("Content-Type", "application/json"))
        .set_payload(body.to_owned())
}

pub(crate) fn new_account(ports: &SharedPorts, email: &str) -> Account {
    let new = NewAccount {
        name: Name::parse("Café do João").unwrap().unwrap(),
        email: Email::parse(email).unwrap(),
        password: "secret".to_owned(),
        document: None,
        city: None,
        address: None,
        merchant_name: None,
    };
    account::create(&ports.ports(), &new).unwrap()
}

pub(crate) fn new_key(
    ports: &SharedPorts,
    account: &Account,
    environment: Environment,
    scopes: Scopes,
) -> (KeyId, String) {
    let owner = Owner {
        account: account.id,
        environment,
    };
    let new = key::create(&ports.ports(), owner, scopes, Lifetime::Forever).unwrap();
    (new.key.id, new.secret.reveal().to_owned())
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(
            self.header("Content-Type"),
            Some("application/json"),
            "{}",
            self.text
        );
        assert!(self.header("X-Request-Id").is_some());
        serde_json::from_str(&self.text).unwrap()
    }

    /// The data of a success.
    #[track_caller]
    pub(crate) fn data(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        assert_eq!(self.header("X-Error-Code"), None);
        let mut body = self.json();
        let data = body["data"].take();
        assert_eq!(body, serde_json::json!({ "data": null, "error": null }));
        data
    }

    /// The code and the message of an error with this status.
    #[track_caller]
    pub(crate) fn error(&self, status: u16) -> (String, String) {
        assert_eq!(self.status, status, "{}", self.text);
        let body = self.json();
        let message = body["error"].as_str().unwrap().to_owned();
        assert_eq!(body, serde_json::json!({ "data": null, "error": message }));
        (self.header("X-Error-Code").unwrap().to_owned(), message)
    }

    /// Asserts that it is this error.
    #[track_caller]
    pub(crate) fn is(&self, status: u16, code: &str) {
        assert_eq!(self.error(status).0, code, "{}", self.text);
    }
}
