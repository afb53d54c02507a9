//! HTTP/1.1 as cheap as it gets: one kept connection, one request under way, answers searched as bytes.

use std::io;
use std::net::SocketAddr;

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A kept connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// An answer, borrowed from its connection.
pub(crate) struct Answer<'a> {
    /// The status code.
    pub(crate) status: u16,
    /// The body's bytes.
    pub(crate) body: &'a [u8],
}

impl Connection {
    /// Connects.
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(16 * 1024),
        })
    }

    /// Connects so many times.
    pub(crate) async fn open_many(address: SocketAddr, count: usize) -> io::Result<Vec<Self>> {
        let mut connections = Vec::with_capacity(count);
        for _ in 0..count {
            connections.push(Self::open(address).await?);
        }
        Ok(connections)
    }

    /// Sends a request and reads the whole answer.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> io::Result<Answer<'_>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let message = read_message(&mut self.stream, &mut self.buffer).await?;
        let message = message.ok_or(io::ErrorKind::UnexpectedEof)?;
        let status = self.buffer.get("HTTP/1.1 ".len()..).and_then(digits);
        Ok(Answer {
            status: u16::try_from(status.ok_or(io::ErrorKind::InvalidData)?)
                .map_err(io::Error::other)?,
            body: &self.buffer[message.body..message.end],
        })
    }
}

impl<'a> Answer<'a> {
    /// The body of a success.
    pub(crate) fn success(&self) -> Result<&'a [u8]> {
        ensure!(
            self.status == 200,
            "answered {}: {}",
            self.status,
            String::from_utf8_lossy(self.body)
        );
        Ok(self.body)
    }
}

/// Where a message's body begins and ends.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    pub(crate) body: usize,
    pub(crate) end: usize,
}

/// Reads one message with a `Content-Length` to the front of the buffer; `None` when the other side closed before it.
pub(crate) async fn read_message(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
) -> io::Result<Option<Message>> {
    loop {
        if let Some(message) = message(buffer)
            && buffer.len() >= message.end
        {
            return Ok(Some(message));
        }
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
}

fn message(bytes: &[u8]) -> Option<Message> {
    let head = find(bytes, b"\r\n\r\n")?;
    // Both actix and hyper write the names of headers in lower case.
    let length = find(&bytes[..head], b"content-length: ")
        .and_then(|at| digits(&bytes[at + b"content-length: ".len()..]))
        .unwrap_or(0);
    let body = head + 4;
    Some(Message {
        body,
        end: body + length,
    })
}

/// The decimal number the bytes begin with.
fn digits(bytes: &[u8]) -> Option<usize> {
    let count = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    std::str::from_utf8(&bytes[..count]).ok()?.parse().ok()
}

/// Where a pattern begins.
pub(crate) fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes
        .windows(pattern.len())
        .position(|window| window == pattern)
}

/// `chg_` and a ULID.
pub(crate) type ChargeId = [u8; 30];

/// The first charge id in a body.
pub(crate) fn charge_id(body: &[u8]) -> Result<ChargeId> {
    find(body, b"\"chg_")
        .and_then(|at| body.get(at + 1..at + 31)?.try_into().ok())
        .with_context(|| format!("no charge id in {}", String::from_utf8_lossy(body)))
}

/// The ULID in the id of whatever was made, paid or sent.
pub(crate) type Subject = [u8; 26];

/// What a webhook is about: charges, withdrawals and payments of bills alike.
pub(crate) fn subject(body: &[u8]) -> Option<Subject> {
    let data = find(body, b"\"data\":{\"id\":\"")?;
    let id = &body[data + b"\"data\":{\"id\":\"".len()..];
    let ulid = find(id, b"_")? + 1;
    id.get(ulid..ulid + 26)?.try_into().ok()
}

/// The first text of this name in a body.
pub(crate) fn text_of<'a>(body: &'a [u8], name: &str) -> Result<&'a str> {
    let name = format!("\"{name}\":\"");
    let found = find(body, name.as_bytes()).and_then(|at| {
        let value = &body[at + name.len()..];
        std::str::from_utf8(&value[..find(value, b"\"")?]).ok()
    });
    found.with_context(|| format!("no {name} in {}", String::from_utf8_lossy(body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_ends_where_its_length_says() {
        let bytes = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP";
        let found = message(bytes).unwrap();
        assert_eq!(&bytes[found.body..found.end], b"{}");
        assert!(message(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n").is_none());
    }

    #[test]
    fn a_charge_id_is_found_in_an_answer() {
        let body = br#"{"data":{"id":"chg_01ARZ3NDEKTSV4RRFFQ69G5FAV","kind":"pixQrCode"}}"#;
        assert_eq!(&charge_id(body).unwrap(), b"chg_01ARZ3NDEKTSV4RRFFQ69G5FAV");
        assert!(charge_id(b"{}").is_err());
    }

    #[test]
    fn a_webhook_says_what_it_is_about() {
        let body = br#"{"id":"evt_01ARZ3NDEKTSV4RRFFQ69G5FAA","data":{"id":"wd_01ARZ3NDEKTSV4RRFFQ69G5FAV","kind":"withdraw"}}"#;
        assert_eq!(&subject(body).unwrap(), b"01ARZ3NDEKTSV4RRFFQ69G5FAV");
        assert_eq!(text_of(body, "kind").unwrap(), "withdraw");
        assert_eq!(subject(b"{}"), None);
        assert!(text_of(body, "status").is_err());
    }
}
