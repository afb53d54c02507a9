//! The client against receivers that behave well, badly and not at all.

use std::io::{BufReader, ErrorKind, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use crate::receiver::{
    BODY, EVENT_ID, NOW, Received, Receiver, SECRET, assert_failed, client, message, post,
    read_request, signer, target,
};
use hyper::header::{HeaderMap, HeaderName};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use vintem_webhook::{Client, ClientSettings, Failure};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn header_map(received: &Received) -> HeaderMap {
    let pairs = received.headers.iter();
    pairs
        .map(|(name, value)| {
            let name: HeaderName = name.parse().unwrap();
            (name, value.parse().unwrap())
        })
        .collect()
}

#[tokio::test]
async fn a_webhook_arrives_as_documented() {
    let receiver = Receiver::answering(OK);
    let now = i64::try_from(UNIX_EPOCH.elapsed().unwrap().as_secs()).unwrap();
    let to = target(&receiver.url(), true);
    let outcome = client().post(&to, &signer(), message(now)).await;

    assert_eq!((outcome.status, outcome.failure), (Some(200), None));
    assert!(outcome.is_success());
    assert_eq!(outcome.answer, "ok");
    assert_eq!(outcome.retry_after_seconds, None);

    let request = receiver.requests.recv().unwrap();
    assert_eq!(request.line, "POST /hook HTTP/1.1");
    assert_eq!(request.body, BODY);
    let agent = format!("Vintem-Webhook/{}", env!("CARGO_PKG_VERSION"));
    let host = receiver.address.to_string();
    assert_eq!(request.header("user-agent"), Some(agent.as_str()));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("host"), Some(host.as_str()));
    assert_eq!(request.header("webhook-id"), Some(EVENT_ID));
    assert_eq!(request.header("x-svc-webhook-secret"), Some(SECRET));
    assert_eq!(request.header("x-svc-signature-previous"), None);
    let signature = request.header("x-svc-signature").unwrap();
    assert!(
        signature.starts_with(&format!("t={now},v1=")),
        "{signature}"
    );
    standardwebhooks::Webhook::new(SECRET)
        .unwrap()
        .verify(request.body.as_bytes(), &header_map(&request))
        .unwrap();
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let receiver = Receiver::answering(
        "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
    );
    let outcome = post(&client(), &receiver.url()).await;
    assert_eq!((outcome.status, outcome.failure), (Some(302), None));
    assert!(!outcome.is_success());
    assert_eq!(receiver.requests.iter().take(1).count(), 1);
    assert!(receiver.requests.try_recv().is_err());
}

/// A client that waits so short that a test may wait for it.
fn impatient() -> Client {
    Client::new(&ClientSettings {
        connect_timeout: Duration::from_millis(50),
        timeout: Duration::from_millis(100),
        ..ClientSettings::default()
    })
    .unwrap()
}

/// Answers, then holds the connection open without another byte until the test is over.
fn stalling_after(answer: &'static str) -> (Receiver, mpsc::Sender<()>) {
    let (hold, released) = mpsc::channel();
    let released = Mutex::new(released);
    let receiver = Receiver::start(move |stream, _| {
        stream.write_all(answer.as_bytes()).unwrap();
        released.lock().unwrap().recv().is_ok()
    });
    (receiver, hold)
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_a_failure() {
    let (receiver, _hold) = stalling_after("");
    let outcome = post(&impatient(), &receiver.url()).await;
    assert_failed(&outcome, Failure::TimedOut);
    assert!(outcome.duration >= Duration::from_millis(100));
}

#[tokio::test]
async fn a_status_in_time_counts_even_if_its_body_stalls() {
    let answer = "HTTP/1.1 202 Accepted\r\nContent-Length: 10\r\n\r\nhalf";
    let (receiver, _hold) = stalling_after(answer);
    let outcome = post(&impatient(), &receiver.url()).await;
    assert_eq!((outcome.status, outcome.failure), (Some(202), None));
    assert_eq!(outcome.answer, "half");
}

#[tokio::test]
async fn a_handshake_that_stalls_is_a_connection_timed_out() {
    // The system accepts the connection; nobody ever says anything on it.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let outcome = post(&impatient(), &url).await;
    assert_failed(&outcome, Failure::ConnectTimedOut);
}

// The client hangs up while this test waits for the receiver to notice: that takes a second thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_large_body_is_not_read_to_its_end() {
    let head = "HTTP/1.1 500 Internal Server Error\r\nTransfer-Encoding: chunked\r\n\r\n";
    let (sender, written) = mpsc::channel();
    let receiver = Receiver::start(move |stream, _| {
        let chunk = format!("1000\r\n{}\r\n", "x".repeat(4096));
        stream.write_all(head.as_bytes()).unwrap();
        // Ends only because the client hangs up.
        let chunks = (0..1_000_000).take_while(|_| stream.write_all(chunk.as_bytes()).is_ok());
        sender.send(chunks.count()).unwrap();
        false
    });
    let outcome = post(&client(), &receiver.url()).await;
    assert_eq!(outcome.status, Some(500));
    assert_eq!(outcome.answer, "x".repeat(4096));
    assert!(written.recv().unwrap() < 1_000_000);
}

#[tokio::test]
async fn an_echoed_secret_does_not_reach_the_log() {
    let receiver = Receiver::answering(format!(
        "HTTP/1.1 401 Unauthorized\r\nContent-Length: {}\r\n\r\nbad {SECRET}!",
        SECRET.len() + 5
    ));
    let outcome = post(&client(), &receiver.url()).await;
    assert_eq!(outcome.answer, "bad whsec_[redacted]!");
}

#[tokio::test]
async fn retry_after_is_told_in_both_forms() {
    // NOW is 2026-09-21T14:13:20Z.
    let table = [("90", 90), ("Mon, 21 Sep 2026 14:14:20 GMT", 60)];
    for (value, expected) in table {
        let receiver = Receiver::answering(format!(
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: {value}\r\nContent-Length: 0\r\n\r\n"
        ));
        let outcome = post(&client(), &receiver.url()).await;
        assert_eq!(outcome.status, Some(503));
        assert_eq!(
            outcome.retry_after_seconds,
            Some(expected),
            "{value} at {NOW}"
        );
    }
}

#[tokio::test]
async fn private_addresses_are_refused_before_a_connection_is_made() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let client = client();
    for host in [
        "127.0.0.1",
        "localhost",
        "[::ffff:127.0.0.1]",
        "0x7f.1",
        "2130706433",
    ] {
        for scheme in ["http", "https"] {
            let to = target(&format!("{scheme}://{host}:{port}/"), false);
            let outcome = client.post(&to, &signer(), message(NOW)).await;
            assert_failed(&outcome, Failure::AddressRefused);
        }
    }
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[tokio::test]
async fn an_open_connection_does_not_carry_a_request_that_is_not_allowed_there() {
    let receiver = Receiver::answering(OK);
    let client = client();
    assert!(post(&client, &receiver.url()).await.is_success());
    let to = target(&receiver.url(), false);
    let outcome = client.post(&to, &signer(), message(NOW)).await;
    assert_failed(&outcome, Failure::AddressRefused);
}

#[tokio::test]
async fn a_closed_port_refuses_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    assert_failed(&post(&client(), &url).await, Failure::ConnectionRefused);
}

#[tokio::test]
async fn connections_are_used_again() {
    let receiver = Receiver::answering(OK);
    let client = client();
    for _ in 0..3 {
        assert!(post(&client, &receiver.url()).await.is_success());
    }
    let connections = receiver.requests.iter().take(3);
    assert!(
        connections
            .map(|received| received.connection)
            .eq([0, 0, 0])
    );
}

#[tokio::test]
async fn a_connection_closed_between_two_webhooks_costs_no_attempt() {
    let closing = Receiver::start(|stream, _| {
        stream.write_all(OK.as_bytes()).unwrap();
        false
    });
    let other = Receiver::answering(OK);
    let client = client();
    for connection in 0..3 {
        assert!(post(&client, &closing.url()).await.is_success());
        assert_eq!(closing.requests.recv().unwrap().connection, connection);
        // One more turn of the runtime, in which it hears that the connection is closed.
        assert!(post(&client, &other.url()).await.is_success());
    }
}

#[tokio::test]
async fn a_connection_closed_instead_of_an_answer_is_a_failure() {
    let receiver = Receiver::start(|_, _| false);
    let outcome = post(&client(), &receiver.url()).await;
    assert_failed(&outcome, Failure::ConnectionLost);
    assert_eq!(receiver.requests.iter().take(1).count(), 1);
    assert!(receiver.requests.try_recv().is_err());
}

#[tokio::test]
async fn what_is_not_http_is_a_failure() {
    let receiver = Receiver::answering("SSH-2.0-OpenSSH_9.6\r\n\r\n");
    let outcome = post(&client(), &receiver.url()).await;
    assert_failed(&outcome, Failure::AnswerMalformed);
}

fn certificates(file: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    folder.join("tests/webhook/certificates").join(file)
}

/// A receiver for `localhost` and 127.0.0.1, whose certificate the authority in the same folder issued.
fn tls_receiver() -> u16 {
    let chain = CertificateDer::pem_file_iter(certificates("receiver.pem")).unwrap();
    let chain = chain.collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(certificates("receiver-key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let session = ServerConnection::new(config.clone()).unwrap();
            let mut stream = BufReader::new(StreamOwned::new(session, stream.unwrap()));
            if read_request(&mut stream, 0).is_some() {
                stream.get_mut().write_all(OK.as_bytes()).unwrap();
            }
        }
    });
    port
}

#[tokio::test]
async fn a_private_authority_is_trusted_when_it_is_named() {
    let port = tls_receiver();
    let settings = ClientSettings {
        authority: Some(certificates("authority.pem")),
        ..ClientSettings::default()
    };
    let trusting = Client::new(&settings).unwrap();
    for host in ["localhost", "127.0.0.1"] {
        let url = format!("https://{host}:{port}/");
        assert!(post(&trusting, &url).await.is_success(), "{host}");
        assert_failed(&post(&client(), &url).await, Failure::CertificateRefused);
    }
}

#[tokio::test]
async fn a_receiver_without_tls_fails_the_handshake() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .unwrap();
    });
    assert_failed(&post(&client(), &url).await, Failure::TlsFailed);
}
