//! A request to a server of ours, normally on this machine: plain HTTP only, so that no TLS is needed for it.

use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use serde_json::Value;

use crate::failure::Failure;

/// How long the server may take: a slow play bank included.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Posts a JSON body and returns the `data` of the answer's envelope.
///
/// It speaks HTTP/1.0: the answer is not cut in pieces and ends with the connection.
pub(super) fn post(url: &str, path: &str, secret: &str, body: &Value) -> Result<Value, Failure> {
    let server = Server::parse(url)?;
    let body = body.to_string();
    let request = format!(
        "POST {}{path} HTTP/1.0\r\nHost: {}\r\nAuthorization: Bearer {secret}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.base_path,
        server.host,
        body.len()
    );
    let answer = exchange(&server.address, request.as_bytes())
        .map_err(|error| Failure::failed(format!("{url}: {error}")))?;
    data(&answer).map_err(|reason| Failure::failed(format!("{url}: {reason}")))
}

fn exchange(address: &str, request: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut refused = None;
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, TIMEOUT) {
            Ok(mut stream) => {
                stream.set_read_timeout(Some(TIMEOUT))?;
                stream.set_write_timeout(Some(TIMEOUT))?;
                stream.write_all(request)?;
                let mut answer = Vec::new();
                stream.read_to_end(&mut answer)?;
                return Ok(answer);
            }
            Err(error) => refused = Some(error),
        }
    }
    Err(refused.unwrap_or_else(|| std::io::ErrorKind::NotFound.into()))
}

/// An `http://` address in its parts.
#[derive(Debug, PartialEq, Eq)]
struct Server {
    /// What the `Host` header says.
    host: String,
    /// Host and port to connect to.
    address: String,
    /// What stands before every path; without a slash at its end.
    base_path: String,
}

impl Server {
    fn parse(url: &str) -> Result<Self, Failure> {
        let rest = url.strip_prefix("http://").ok_or_else(|| {
            Failure::Usage(
                "--url must start with http:// (it is meant for a server on this machine)"
                    .to_owned(),
            )
        })?;
        let (host, base_path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, ""),
        };
        if host.is_empty()
            || host.contains('@')
            || !rest.bytes().all(|byte| byte.is_ascii_graphic())
        {
            return Err(Failure::Usage(
                "--url must name a host, such as http://127.0.0.1:8080".to_owned(),
            ));
        }
        let port_given = host
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let address = if port_given {
            host.to_owned()
        } else {
            format!("{host}:80")
        };
        Ok(Self {
            host: host.to_owned(),
            address,
            base_path: base_path.trim_end_matches('/').to_owned(),
        })
    }
}

/// The `data` of a success, or why there is none.
fn data(answer: &[u8]) -> Result<Value, String> {
    let answer = String::from_utf8_lossy(answer);
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .ok_or("the answer ended too early")?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    let envelope: Value = serde_json::from_str(body).map_err(|_not_json| {
        format!("answered {status} without JSON: is a vintem server there?")
    })?;
    if status == "200" {
        return Ok(envelope.get("data").cloned().unwrap_or_default());
    }
    let message = envelope.get("error").and_then(Value::as_str);
    Err(message.map_or_else(|| format!("answered {status}"), str::to_owned))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use serde_json::json;

    use super::*;

    #[test]
    fn an_address_may_have_a_port_and_a_path() {
        let parts = |url| {
            let server = Server::parse(url).unwrap();
            (server.host, server.address, server.base_path)
        };
        let expected = |host: &str, address: &str, path: &str| {
            (host.to_owned(), address.to_owned(), path.to_owned())
        };
        assert_eq!(
            parts("http://127.0.0.1:8080/"),
            expected("127.0.0.1:8080", "127.0.0.1:8080", "")
        );
        assert_eq!(
            parts("http://localhost/pay/"),
            expected("localhost", "localhost:80", "/pay")
        );
        assert_eq!(parts("http://[::1]"), expected("[::1]", "[::1]:80", ""));
        for url in [
            "https://pay.example.com",
            "127.0.0.1:8080",
            "http://",
            "http://a b",
        ] {
            assert!(
                matches!(Server::parse(url), Err(Failure::Usage(_))),
                "{url}"
            );
        }
    }

    #[test]
    fn the_answer_is_taken_out_of_its_envelope() {
        let answer = |text: &str| data(text.as_bytes());
        assert_eq!(
            answer(
                "HTTP/1.0 200 OK\r\nA: b\r\n\r\n{\"data\":{\"outcome\":\"paid\"},\"error\":null}"
            ),
            Ok(json!({ "outcome": "paid" }))
        );
        assert_eq!(
            answer("HTTP/1.0 404 Not Found\r\n\r\n{\"data\":null,\"error\":\"charge not found\"}"),
            Err("charge not found".to_owned())
        );
        assert!(answer("HTTP/1.0 502 Bad Gateway\r\n\r\n<html>").is_err());
        assert!(answer("").is_err());
    }

    #[test]
    fn the_secret_travels_as_a_bearer_token() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = vec![0; 1024];
            let length = stream.read(&mut request).unwrap();
            stream
                .write_all(b"HTTP/1.0 200 OK\r\n\r\n{\"data\":1,\"error\":null}")
                .unwrap();
            String::from_utf8_lossy(&request[..length]).into_owned()
        });
        let answer = post(&url, "/psp/stub/pix", "s3cr3t-s3cr3t", &json!({ "a": 1 })).unwrap();
        assert_eq!(answer, json!(1));
        let request = server.join().unwrap();
        assert!(
            request.starts_with("POST /psp/stub/pix HTTP/1.0\r\n"),
            "{request}"
        );
        assert!(
            request.contains("Authorization: Bearer s3cr3t-s3cr3t\r\n"),
            "{request}"
        );
        assert!(request.ends_with("\r\n\r\n{\"a\":1}"), "{request}");
    }
}
