//! A receiver of webhooks that does what a test tells it to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, mpsc};
use std::thread;

use bytes::Bytes;
use vintem_webhook::{
    AddressPolicy, Client, ClientSettings, Failure, Message, Outcome, Signer, Target,
};

pub(crate) const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
pub(crate) const EVENT_ID: &str = "evt_01J8ZQ4Y5N7V3K2M1R0T9W6X8A";
pub(crate) const BODY: &str = r#"{"id":"evt_01J8ZQ4Y5N7V3K2M1R0T9W6X8A"}"#;
pub(crate) const NOW: i64 = 1_790_000_000;

/// One request as it came off the wire.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// Which connection it came on, counted from 0.
    pub(crate) connection: usize,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let value = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} came twice");
        value
    }
}

pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    pub(crate) requests: mpsc::Receiver<Received>,
}

impl Receiver {
    /// Answers every request with these bytes, on connections kept alive.
    pub(crate) fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::start(move |stream, _| stream.write_all(&answer).is_ok())
    }

    /// `respond` writes the answer, and says whether the connection stays open. Every connection has its own thread.
    pub(crate) fn start(
        respond: impl Fn(&mut dyn ReadWrite, &Received) -> bool + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, requests) = mpsc::channel();
        let respond = Arc::new(respond);
        thread::spawn(move || {
            for (connection, stream) in listener.incoming().enumerate() {
                let mut stream = BufReader::new(stream.unwrap());
                let respond = respond.clone();
                let sender = sender.clone();
                thread::spawn(move || {
                    while let Some(received) = read_request(&mut stream, connection) {
                        if !respond(stream.get_mut(), &received) {
                            // Closed before the test hears of the request, so that it may rely on it.
                            drop(stream);
                            sender.send(received).ok();
                            break;
                        }
                        sender.send(received).ok();
                    }
                });
            }
        });
        Self { address, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }
}

pub(crate) trait ReadWrite: Read + Write {}
impl<T: Read + Write> ReadWrite for T {}

pub(crate) fn read_request(stream: &mut impl BufRead, connection: usize) -> Option<Received> {
    let mut line = String::new();
    if stream.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
    stream.read_exact(&mut body).ok()?;
    Some(Received {
        line: line.trim_end().to_owned(),
        headers,
        body: String::from_utf8(body).unwrap(),
        connection,
    })
}

pub(crate) fn signer() -> Signer {
    Signer::parse(SECRET, None).unwrap()
}

pub(crate) fn client() -> Client {
    Client::new(&ClientSettings::default()).unwrap()
}

pub(crate) fn target(url: &str, allow_private: bool) -> Target {
    Target::parse(url, AddressPolicy { allow_private }, false).unwrap()
}

/// Sends the fixed event to a private address.
pub(crate) async fn post(client: &Client, url: &str) -> Outcome {
    client
        .post(&target(url, true), &signer(), message(NOW))
        .await
}

pub(crate) fn message(unix_seconds: i64) -> Message<'static> {
    Message {
        event_id: EVENT_ID,
        body: Bytes::from_static(BODY.as_bytes()),
        unix_seconds,
    }
}

pub(crate) fn assert_failed(outcome: &Outcome, failure: Failure) {
    assert_eq!((outcome.status, outcome.failure), (None, Some(failure)));
    assert!(!outcome.is_success());
}
