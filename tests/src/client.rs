//! A small HTTP/1.1 client, one connection a request, with full control over what goes on the wire.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// How long a client waits for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);

/// Talks to one server with one API key.
#[derive(Clone, Debug)]
pub struct Client {
    address: SocketAddr,
    key: Option<String>,
}

impl Client {
    /// A client that sends the key as `Authorization: Bearer`.
    pub fn new(address: SocketAddr, key: &str) -> Self {
        let key = Some(key.to_owned());
        Self { address, key }
    }

    /// A client without a key.
    pub fn anonymous(address: SocketAddr) -> Self {
        Self { address, key: None }
    }

    /// The same key at another server.
    #[must_use]
    pub fn at(&self, address: SocketAddr) -> Self {
        let key = self.key.clone();
        Self { address, key }
    }

    /// The server's address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The value of its `Authorization` header.
    pub fn authorization(&self) -> Option<String> {
        self.key.as_ref().map(|key| format!("Bearer {key}"))
    }

    /// A request that is ready to be changed and sent.
    pub fn request(&self, method: &str, path: &str) -> Request {
        let request = Request::new(self.address, method, path);
        match self.authorization() {
            Some(value) => request.header("Authorization", &value),
            None => request,
        }
    }

    /// Sends a GET.
    pub fn get(&self, path: &str) -> Response {
        self.request("GET", path).send()
    }

    /// Sends a POST with a JSON body.
    pub fn post(&self, path: &str, body: &Value) -> Response {
        self.request("POST", path).json(body).send()
    }

    /// Sends a POST with a JSON body and an `Idempotency-Key`.
    pub fn post_once(&self, path: &str, body: &Value, key: &str) -> Response {
        self.request("POST", path)
            .header("Idempotency-Key", key)
            .json(body)
            .send()
    }
}

/// A request under construction.
#[derive(Clone, Debug)]
pub struct Request {
    address: SocketAddr,
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    sized: bool,
}

impl Request {
    /// A request with nothing but its line and `Host`.
    pub fn new(address: SocketAddr, method: &str, path: &str) -> Self {
        Self {
            address,
            line: format!("{method} {path} HTTP/1.1"),
            headers: vec![
                ("Host".to_owned(), address.to_string()),
                ("Connection".to_owned(), "close".to_owned()),
            ],
            body: Vec::new(),
            sized: method != "GET" && method != "HEAD",
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends these bytes as JSON.
    #[must_use]
    pub fn json_text(self, body: impl Into<Vec<u8>>) -> Self {
        self.header("Content-Type", "application/json").body(body)
    }

    /// Sends this value as JSON.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.json_text(body.to_string())
    }

    /// Sends these bytes without saying what they are.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.sized = true;
        self
    }

    /// Sends the request and reads the answer; panics when there is none.
    pub fn send(&self) -> Response {
        self.try_send()
            .unwrap_or_else(|error| panic!("{}: no answer: {error}", self.line))
    }

    /// Sends the request and reads the answer.
    pub fn try_send(&self) -> io::Result<Response> {
        let mut head = format!("{}\r\n", self.line);
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if self.sized {
            let _ = write!(head, "Content-Length: {}\r\n", self.body.len());
        }
        head.push_str("\r\n");
        let mut message = head.into_bytes();
        message.extend_from_slice(&self.body);
        let mut stream = connect(self.address)?;
        // A server that refuses a body early closes before it has read all: its answer still counts.
        let sent = stream.write_all(&message);
        match read_response(&mut stream) {
            Ok(response) => Ok(response),
            Err(error) => Err(sent.err().unwrap_or(error)),
        }
    }
}

/// Sends bytes as they are, closes the sending side, and returns everything the server answers.
pub fn raw(address: SocketAddr, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = connect(address)?;
    stream.write_all(bytes)?;
    stream.shutdown(Shutdown::Write)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer)
}

/// Sends bytes as they are and reads one answer.
pub fn raw_response(address: SocketAddr, bytes: &[u8]) -> io::Result<Response> {
    let mut stream = connect(address)?;
    stream.write_all(bytes)?;
    read_response(&mut stream)
}

/// Opens a connection that gives up waiting in the end.
pub fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, ANSWER_TIMEOUT)?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    stream.set_write_timeout(Some(ANSWER_TIMEOUT))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Names in lower case, in the order of arrival.
    pub headers: Vec<(String, String)>,
    /// The body's bytes.
    pub body: Vec<u8>,
}

impl Response {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let name = name.to_ascii_lowercase();
        let found = self.headers.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{}: not JSON: {error}: {}", self.status, self.text()))
    }

    /// What a success carries; panics when this is not one in its envelope.
    #[track_caller]
    pub fn data(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        let mut body = self.json();
        let object = body.as_object_mut().expect("an envelope is an object");
        assert_eq!(
            object.len(),
            2,
            "an envelope has two fields: {}",
            self.text()
        );
        assert_eq!(object.get("error"), Some(&Value::Null), "{}", self.text());
        self.header("X-Request-Id").expect("an X-Request-Id");
        object.remove("data").expect("an envelope has `data`")
    }

    /// The message of a failure; panics when this is not one of that status in its envelope, with its headers.
    #[track_caller]
    pub fn error(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(
            self.header("Content-Type")
                .and_then(|kind| kind.split(';').next()),
            Some("application/json")
        );
        let body = self.json();
        let object = body.as_object().expect("an envelope is an object");
        assert_eq!(
            object.len(),
            2,
            "an envelope has two fields: {}",
            self.text()
        );
        assert_eq!(object.get("data"), Some(&Value::Null), "{}", self.text());
        let message = object
            .get("error")
            .and_then(Value::as_str)
            .expect("`error` is a text");
        assert!(!message.is_empty());
        assert!(
            self.header("X-Request-Id").is_some_and(|id| !id.is_empty()),
            "an X-Request-Id"
        );
        assert!(
            self.header("X-Error-Code")
                .is_some_and(|code| !code.is_empty()),
            "an X-Error-Code"
        );
        message.to_owned()
    }
}

/// Reads one answer from a stream.
pub fn read_response(stream: &mut dyn Read) -> io::Result<Response> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(end) = find(&bytes, b"\r\n\r\n") {
            break end;
        }
        if read_some(stream, &mut bytes)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let status: u16 = status.ok_or(io::ErrorKind::InvalidData)?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    if status == 100 {
        let mut rest = bytes.split_off(head_end + 4);
        std::mem::swap(&mut rest, &mut bytes);
        return read_response(&mut io::Cursor::new(bytes).chain(stream));
    }
    let of = |name: &str| {
        headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    };
    let mut body = bytes.split_off(head_end + 4);
    if let Some(length) = of("content-length") {
        let length: usize = length.parse().map_err(io::Error::other)?;
        while body.len() < length {
            if read_some(stream, &mut body)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    } else {
        while read_some(stream, &mut body)? > 0 {}
        if of("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            body = unchunk(&body).ok_or(io::ErrorKind::UnexpectedEof)?;
        }
    }
    Ok(Response {
        status,
        headers,
        body,
    })
}

fn read_some(stream: &mut dyn Read, into: &mut Vec<u8>) -> io::Result<usize> {
    let mut buffer = [0; 16 * 1024];
    let count = stream.read(&mut buffer)?;
    into.extend_from_slice(&buffer[..count]);
    Ok(count)
}

/// Where a pattern begins.
pub(crate) fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes
        .windows(pattern.len())
        .position(|window| window == pattern)
}

fn unchunk(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = find(rest, b"\r\n")?;
        let size = std::str::from_utf8(&rest[..line]).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        rest = &rest[line + 2..];
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(..size)?);
        rest = rest.get(size + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receiver::{Answer, Receiver};

    #[test]
    fn a_request_arrives_as_it_was_sent_and_its_answer_comes_back() {
        let receiver = Receiver::scripted(|before, _| {
            let header = ("X-Count".to_owned(), before.to_string());
            Answer::Full(404, vec![header], b"{\"data\":null}".to_vec())
        });
        let client = Client::new(([127, 0, 0, 1], receiver.port()).into(), "key");
        let response = client.post_once("/path", &serde_json::json!({ "a": 1 }), "once");
        assert_eq!(
            (response.status, response.header("x-count")),
            (404, Some("0"))
        );
        assert_eq!(response.json(), serde_json::json!({ "data": null }));
        let arrived = receiver.deliveries().remove(0);
        assert_eq!(arrived.path, "/path");
        assert_eq!(arrived.body, b"{\"a\":1}");
        assert_eq!(arrived.header("Authorization"), Some("Bearer key"));
        assert_eq!(arrived.header("Idempotency-Key"), Some("once"));
    }

    #[test]
    fn a_dropped_connection_is_an_error() {
        let receiver = Receiver::scripted(|_, _| Answer::Drop);
        let client = Client::anonymous(([127, 0, 0, 1], receiver.port()).into());
        assert!(client.request("GET", "/").try_send().is_err());
    }

    #[test]
    fn answers_are_read_whole_or_not_at_all() {
        let read = |bytes: &[u8]| read_response(&mut io::Cursor::new(bytes.to_vec()));
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n";
        assert_eq!(read(chunked).unwrap().body, b"abcde");
        assert!(read(&chunked[..chunked.len() - 8]).is_err());
        assert_eq!(
            read(b"HTTP/1.1 200 OK\r\n\r\nto the end").unwrap().body,
            b"to the end"
        );
        assert!(read(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab").is_err());
        let continued =
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n";
        assert_eq!(read(continued).unwrap().status, 204);
    }
}
