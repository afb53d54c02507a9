//! A webhook receiver: a real HTTP server that remembers what came and answers as it is told.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::find;
use crate::wait;

/// One request that arrived.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// When all of it was there.
    pub arrived: Instant,
    /// The request's path.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The bytes that were signed.
    pub body: Vec<u8>,
}

impl Delivery {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let name = name.to_ascii_lowercase();
        let found = self.headers.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a webhook body is JSON")
    }

    /// The event's id.
    pub fn event_id(&self) -> String {
        self.json()["id"]
            .as_str()
            .expect("an event has an id")
            .to_owned()
    }
}

/// What a receiver does with a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A status with an empty body.
    Status(u16),
    /// A status, headers and a body.
    Full(u16, Vec<(String, String)>, Vec<u8>),
    /// Nothing: the connection closes.
    Drop,
    /// Another answer, but later.
    After(Duration, Box<Answer>),
}

type Script = dyn FnMut(usize, &Delivery) -> Answer + Send;

struct Shared {
    deliveries: Mutex<Vec<Delivery>>,
    script: Mutex<Box<Script>>,
    closed: AtomicBool,
}

/// A running receiver. It ends with the value.
pub struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Receiver {
    /// Listens on a free port and answers 200 to everything.
    pub fn start() -> Self {
        Self::scripted(|_, _| Answer::Status(200))
    }

    /// Listens on a free port and answers with what the script says; it is given how many came before, and the request.
    pub fn scripted(script: impl FnMut(usize, &Delivery) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("a bound port has an address");
        let shared = Arc::new(Shared {
            deliveries: Mutex::default(),
            script: Mutex::new(Box::new(script)),
            closed: AtomicBool::new(false),
        });
        let of_thread = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if of_thread.closed.load(Ordering::SeqCst) {
                    return;
                }
                let of_connection = Arc::clone(&of_thread);
                std::thread::spawn(move || serve(stream, &of_connection));
            }
        });
        Self { address, shared }
    }

    /// The address of the endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Answers otherwise from now on.
    pub fn answer(&self, script: impl FnMut(usize, &Delivery) -> Answer + Send + 'static) {
        *lock(&self.shared.script) = Box::new(script);
    }

    /// What has arrived so far.
    pub fn deliveries(&self) -> Vec<Delivery> {
        lock(&self.shared.deliveries).clone()
    }

    /// Waits until at least so many have arrived and returns all.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<Delivery> {
        self.wait_for_within(count, wait::SOON)
    }

    /// Waits until at least so many have arrived, but no longer than that, and returns all.
    #[track_caller]
    pub fn wait_for_within(&self, count: usize, deadline: Duration) -> Vec<Delivery> {
        wait::until(&format!("{count} webhooks"), deadline, || {
            let deliveries = self.deliveries();
            (deliveries.len() >= count).then_some(deliveries)
        })
    }

    /// Waits for the delivery of an event about this object.
    #[track_caller]
    pub fn wait_for_object(&self, id: &str) -> Delivery {
        wait::until(&format!("a webhook about {id}"), wait::SOON, || {
            let deliveries = self.deliveries();
            deliveries
                .into_iter()
                .find(|delivery| delivery.json()["data"]["id"] == id)
        })
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection, so that it sees that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut stream: TcpStream, shared: &Shared) {
    let _ = stream.set_nodelay(true);
    let mut bytes = Vec::new();
    while let Ok(Some(delivery)) = read_request(&mut stream, &mut bytes) {
        if shared.closed.load(Ordering::SeqCst) {
            return;
        }
        let before = {
            let mut deliveries = lock(&shared.deliveries);
            deliveries.push(delivery.clone());
            deliveries.len() - 1
        };
        let mut answer = (lock(&shared.script))(before, &delivery);
        while let Answer::After(delay, next) = answer {
            std::thread::sleep(delay);
            answer = *next;
        }
        let (status, headers, body) = match answer {
            Answer::Status(status) => (status, Vec::new(), Vec::new()),
            Answer::Full(status, headers, body) => (status, headers, body),
            Answer::Drop | Answer::After(..) => {
                let _ = stream.shutdown(Shutdown::Both);
                return;
            }
        };
        let mut message = format!(
            "HTTP/1.1 {status} Scripted\r\nContent-Length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            let _ = write!(message, "{name}: {value}\r\n");
        }
        message.push_str("\r\n");
        let mut message = message.into_bytes();
        message.extend_from_slice(&body);
        if stream.write_all(&message).is_err() {
            return;
        }
    }
}

/// Reads one request; bytes of the next one stay in the buffer. `None` at the end of the connection.
fn read_request(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<Option<Delivery>> {
    let head_end = loop {
        if let Some(end) = find(bytes, b"\r\n\r\n") {
            break end;
        }
        if !read_more(stream, bytes)? {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.split("\r\n");
    let path = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .unwrap_or_default()
        .to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let end = head_end + 4 + length;
    while bytes.len() < end {
        if !read_more(stream, bytes)? {
            return Ok(None);
        }
    }
    let rest = bytes.split_off(end);
    let body = bytes.split_off(head_end + 4);
    *bytes = rest;
    Ok(Some(Delivery {
        arrived: Instant::now(),
        path,
        headers,
        body,
    }))
}

fn read_more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let mut buffer = [0; 16 * 1024];
    let count = stream.read(&mut buffer)?;
    bytes.extend_from_slice(&buffer[..count]);
    Ok(count > 0)
}
