//! Webhooks over TLS: a private certificate authority can be named, and names are checked.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use vintem_tests::Backend;
use vintem_tests::guard::Watchdog;
use vintem_tests::merchant::{Merchant, text};
use vintem_tests::site::Site;

use crate::webhook::next_after;

/// Answers every POST with 200 and prints its body on one line.
const SERVER: &str = r"
import http.server, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        print(body.decode(), flush=True)
        self.send_response(200)
        self.send_header('Content-Length', '0')
        self.end_headers()
    def log_message(self, *_): pass
class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_): pass
server = Server(('127.0.0.1', 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_port, flush=True)
server.serve_forever()
";

/// A receiver with a certificate for one address.
struct TlsReceiver {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
    port: u16,
    watchdog: Watchdog,
}

impl TlsReceiver {
    fn start(folder: &Path, address: &str) -> Self {
        let leaf = folder.join(format!("leaf-{address}.pem"));
        openssl(&[
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=a receiver",
            "-addext",
            &format!("subjectAltName=IP:{address}"),
            "-addext",
            "basicConstraints=critical,CA:FALSE",
            "-CA",
            path(&folder.join("ca.pem")),
            "-CAkey",
            path(&folder.join("ca.key")),
            "-keyout",
            path(&folder.join("leaf.key")),
            "-out",
            path(&leaf),
        ]);
        let mut child = Command::new("python3")
            .args(["-c", SERVER])
            .args([&leaf, &folder.join("leaf.key")])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let watchdog = Watchdog::new("kill -KILL \"$1\"", &[child.id().to_string()]).unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let port = line.trim().parse().unwrap();
        Self {
            child,
            lines,
            port,
            watchdog,
        }
    }
}

impl Drop for TlsReceiver {
    fn drop(&mut self) {
        self.watchdog.dismiss();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn openssl(arguments: &[&str]) {
    let output = Command::new("openssl")
        .args(arguments)
        .output()
        .expect("openssl starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A certificate authority of our own.
fn authority(folder: &Path) {
    openssl(&[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=our own authority",
        "-addext",
        "basicConstraints=critical,CA:TRUE",
        "-addext",
        "keyUsage=critical,keyCertSign",
        "-keyout",
        path(&folder.join("ca.key")),
        "-out",
        path(&folder.join("ca.pem")),
    ]);
}

/// Pays a live charge whose event goes to that port; returns the charge and how the first attempt ended.
fn first_attempt(site: &Site, merchant: &Merchant, port: u16) -> (String, String) {
    merchant.webhook("live", &format!("https://127.0.0.1:{port}/hook"));
    let id = text(&merchant.live.charge(4990)["id"]);
    merchant.pay(&json!({ "chargeId": id }));
    next_after(merchant, &id, 1);
    let account = crate::database::bare(&merchant.account);
    let outcome = crate::database::sql(
        site,
        &format!("SELECT outcome FROM attempts WHERE account = '{account}'"),
    );
    (id, outcome)
}

#[test]
fn a_private_authority_is_trusted_when_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    authority(folder.path());
    let mut receiver = TlsReceiver::start(folder.path(), "127.0.0.1");
    let site = Site::new(Backend::Sqlite).with(
        "VINTEM_WEBHOOK_CA_FILE",
        path(&folder.path().join("ca.pem")),
    );
    let server = site.serve();
    let (id, outcome) = first_attempt(&site, &site.merchant(&server), receiver.port);
    assert_eq!(outcome, "delivered");
    let mut line = String::new();
    receiver.lines.read_line(&mut line).unwrap();
    assert!(line.contains(&id), "{line}");
    // The right authority for the wrong name proves nothing.
    let other = TlsReceiver::start(folder.path(), "127.0.0.2");
    assert_eq!(
        first_attempt(&site, &site.merchant(&server), other.port).1,
        "failed"
    );
}

#[test]
fn an_unknown_authority_is_not_trusted() {
    let folder = tempfile::tempdir().unwrap();
    authority(folder.path());
    let receiver = TlsReceiver::start(folder.path(), "127.0.0.1");
    let site = Site::new(Backend::Sqlite);
    let server = site.serve();
    assert_eq!(
        first_attempt(&site, &site.merchant(&server), receiver.port).1,
        "failed"
    );
}
