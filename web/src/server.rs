//! HTTP server: the page at `/`, the API at `POST /api`, uploads of game records at `POST
//! /records`, and optionally GTP at `/exec`.
//!
//! Requests from other sites, by `Host` or `Origin`, are refused. Status 503: a limit is reached,
//! or an answer failed.

use crate::answer::answer_each;
use crate::connections::{Connection, Connections, run_until};
use crate::gtp_http::Sessions;
use crate::limits::{MAX_REQUEST, RequestLimits};
use crate::page::{FILES, SECURITY_POLICY, content_type};
use crate::search_queue::SearchQueue;
use engine::{core::text, search::limits::Limits};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode, Uri,
    body::{Body, Bytes, Frame, Incoming, SizeHint},
    header,
    http::uri::Parts,
    server::conn::http1,
    service::service_fn,
};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use std::{
    convert::Infallible,
    future::poll_fn,
    io::{self, ErrorKind},
    mem,
    net::{IpAddr, SocketAddr},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};
use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};

const MAX_FILE_BYTES: usize = 4 << 20;
const MAX_HEAD_BYTES: usize = 16 << 10;
/// Time added to a request's limit, which is checked only between its searches.
const SEARCH_GRACE: Duration = Duration::from_secs(10);
/// Capacity for unsent messages: above those of an answer, so that no search waits for a slow
/// client.
const MAX_UNSENT_MESSAGES: usize = 64;
/// Number of threads for requests and answers; searches run on other threads.
const CONNECTION_THREADS: usize = 2;
const ACCEPT_ERROR_PAUSE: Duration = Duration::from_millis(50);

/// Converts uploaded game records to JSON, with one-line errors; stops once the callback returns
/// true.
pub type ReadGames = fn(&[u8], &dyn Fn() -> bool) -> Result<String, String>;

/// Options of the HTTP server.
pub struct ServerOptions {
    /// Maximum number of concurrent searches.
    pub searches: usize,
    /// Converter of uploaded game records.
    pub read_games: ReadGames,
    /// Whether to run GTP commands at `/exec`.
    pub exec: bool,
    /// Names and addresses allowed in `Host`, besides the server's address and localhost.
    pub hosts: Vec<String>,
    /// Maximum cost of a request.
    pub limits: RequestLimits,
    /// Maximum time of a client to send a request's head, to send its body, or to receive an
    /// answer.
    pub client_timeout: Duration,
}

impl ServerOptions {
    /// Default limits and timeout, no GTP, no further host names.
    #[must_use]
    pub fn new(searches: usize, read_games: ReadGames) -> Self {
        Self {
            searches,
            read_games,
            exec: false,
            hosts: Vec::new(),
            limits: RequestLimits::default(),
            client_timeout: Duration::from_secs(10),
        }
    }
}

struct Server {
    address: SocketAddr,
    hosts: Vec<String>,
    limits: RequestLimits,
    client_timeout: Duration,
    sessions: Option<Arc<Sessions>>,
    read_games: ReadGames,
    queue: Arc<SearchQueue>,
}

/// Serves the page and the API until the process ends.
///
/// # Errors
///
/// If threads cannot be started or the listener cannot be used.
pub fn serve(listener: std::net::TcpListener, options: ServerOptions) -> io::Result<Infallible> {
    listener.set_nonblocking(true)?;
    let ServerOptions {
        searches,
        read_games,
        exec,
        hosts,
        limits,
        client_timeout,
    } = options;
    let server = Arc::new(Server {
        address: listener.local_addr()?,
        hosts,
        sessions: exec.then(|| Arc::new(Sessions::new(limits.clone()))),
        limits,
        client_timeout,
        read_games,
        queue: SearchQueue::new(searches),
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(CONNECTION_THREADS)
        .max_blocking_threads(searches)
        .enable_io()
        .enable_time()
        .build()?;
    runtime.block_on(accept(listener, server))
}

async fn accept(listener: std::net::TcpListener, server: Arc<Server>) -> io::Result<Infallible> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let connections = Connections::new(server.client_timeout);
    let mut number = 0;
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                if let Some(connection) = connections.admit(number, stream, address.ip()) {
                    tokio::spawn(serve_connection(connection, Arc::clone(&server)));
                }
                number += 1;
            }
            Err(_) => sleep(ACCEPT_ERROR_PAUSE).await,
        }
    }
}

async fn serve_connection(connection: Connection, server: Arc<Server>) {
    let answer = service_fn(|request| {
        let (server, connection) = (&server, &connection);
        async move { Ok::<_, Infallible>(answer_request(server, connection, request).await) }
    });
    let mut http = http1::Builder::new();
    let http = http
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(connection.byte_stream(), answer);
    let _ = run_until(http, pin!(connection.wait_for_expiry())).await;
}

type Refusal = (StatusCode, &'static str);

async fn answer_request(
    server: &Arc<Server>,
    connection: &Connection,
    request: Request<Incoming>,
) -> Response<Content> {
    connection.restart_idle_timer();
    let answer = route(server, connection, request).await;
    answer.unwrap_or_else(|(status, problem)| make_response(error_message(status, problem)))
}

async fn route(
    server: &Arc<Server>,
    connection: &Connection,
    request: Request<Incoming>,
) -> Result<Response<Content>, Refusal> {
    let (head, body) = request.into_parts();
    check_origin(server, &head.headers).map_err(|problem| (StatusCode::FORBIDDEN, problem))?;
    match (&head.method, head.uri.path()) {
        (&Method::POST, "/api") => {
            answer_on_worker(
                server,
                connection,
                body,
                MAX_REQUEST,
                |server, body, recipient| {
                    let limits = Limits::from(&recipient.stop);
                    let mut is_streamed = false;
                    answer_each(body, &server.limits, &limits, |answer, is_last| {
                        is_streamed |= !is_last;
                        let json = answer.to_string();
                        recipient.send(match is_streamed {
                            true => (StatusCode::OK, JSON_LINES, json + "\n"),
                            false => (status_of(answer), JSON, json),
                        })
                    });
                },
            )
            .await
        }
        (&Method::POST, "/records") => {
            answer_on_worker(
                server,
                connection,
                body,
                MAX_FILE_BYTES,
                |server, bytes, recipient| {
                    let time = Duration::from_secs_f64(server.limits.milliseconds / 1000.0);
                    let deadline = Instant::now() + time;
                    let is_over = || recipient.is_gone() || Instant::now() > deadline;
                    recipient.send(match (server.read_games)(bytes, &is_over) {
                        Ok(json) => (StatusCode::OK, JSON, json),
                        Err(problem) => error_message(StatusCode::BAD_REQUEST, &problem),
                    });
                },
            )
            .await
        }
        (method, path) if path == "/exec" || path.starts_with("/exec/") => {
            let name = path["/exec".len()..].trim_start_matches('/').to_owned();
            let sessions = allowed_sessions(server, method, &name, &head.headers)?;
            sessions.interrupt(&name);
            let command = head.uri.query().map(|query| {
                let spaced = query.replace('+', " ");
                percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
            });
            answer_on_worker(
                server,
                connection,
                body,
                MAX_REQUEST,
                move |_, body, recipient| {
                    let body = || String::from_utf8_lossy(text::strip_bom(body)).into_owned();
                    let command = command.unwrap_or_else(body);
                    recipient.send(
                        match sessions.run_command(&name, &command, &recipient.stop) {
                            Ok(reply) => (StatusCode::OK, "text/plain; charset=utf-8", reply),
                            Err(problem) => error_message(UNAVAILABLE, problem),
                        },
                    );
                },
            )
            .await
        }
        (_, "/api" | "/records") => Err((METHOD_NOT_ALLOWED, "the API answers POST only")),
        (&Method::GET | &Method::HEAD, path) => {
            let name = path.strip_prefix('/').unwrap_or(path);
            let name = if name.is_empty() { "index.html" } else { name };
            let file = FILES.iter().find(|(known, _)| *known == name);
            let no_page = "there is no such page; there are / and POST /api";
            let (name, content) = file.ok_or((StatusCode::NOT_FOUND, no_page))?;
            Ok(make_response((
                StatusCode::OK,
                content_type(name),
                *content,
            )))
        }
        _ => Err((METHOD_NOT_ALLOWED, "pages answer GET only")),
    }
}

const METHOD_NOT_ALLOWED: StatusCode = StatusCode::METHOD_NOT_ALLOWED;
const UNAVAILABLE: StatusCode = StatusCode::SERVICE_UNAVAILABLE;

/// GTP sessions, if enabled and if no other site asks; browsers load images without `Origin`, but
/// with `Sec-Fetch-Site`.
fn allowed_sessions(
    server: &Server,
    method: &Method,
    name: &str,
    headers: &HeaderMap,
) -> Result<Arc<Sessions>, Refusal> {
    let not_enabled = "GTP is not answered here: alea web --exec";
    let sessions = server.sessions.clone();
    let sessions = sessions.ok_or((StatusCode::NOT_FOUND, not_enabled))?;
    let from = headers.get("sec-fetch-site");
    let from = from.map_or("none", |from| from.to_str().unwrap_or_default());
    if !["none", "same-origin"].contains(&from) {
        return Err((StatusCode::FORBIDDEN, "another site may not ask"));
    }
    if ![Method::GET, Method::POST].contains(method) {
        return Err((METHOD_NOT_ALLOWED, "/exec answers GET and POST only"));
    }
    let name_rule = "the name of a session is at most 32 letters, digits, - and _";
    let is_name = Sessions::is_name(name).then_some(sessions);
    is_name.ok_or((StatusCode::BAD_REQUEST, name_rule))
}

/// Checks that `Host` is this server and `Origin`, if present, a page of this server.
fn check_origin(server: &Server, headers: &HeaderMap) -> Result<(), &'static str> {
    let all = |name| -> Vec<&str> {
        let values = headers.get_all(name).iter();
        values.map(|value| value.to_str().unwrap_or("?")).collect()
    };
    let is_here = |origin: &str| {
        let host = origin.strip_prefix("http://");
        host.is_some_and(|host| is_own_host(server, host))
    };
    match all(header::HOST)[..] {
        [host] if is_own_host(server, host) => {}
        _ => {
            return Err(
                "'Host' is not this server; use an address that it printed, or start it with --host NAME",
            );
        }
    }
    match all(header::ORIGIN)[..] {
        [] => Ok(()),
        [origin] if is_here(origin) => Ok(()),
        _ => Err("'Origin' is not this server's page"),
    }
}

/// Whether `host` has this server's port and is localhost, an address of this server or one of its
/// names. Other names could be another site's, pointed here (DNS rebinding).
fn is_own_host(server: &Server, host: &str) -> bool {
    let Ok(Parts {
        scheme: None,
        authority: Some(authority),
        path_and_query: None,
        ..
    }) = host.parse::<Uri>().map(Uri::into_parts)
    else {
        return false;
    };
    if authority.port_u16().unwrap_or(80) != server.address.port() || host.contains('@') {
        return false;
    }
    let name = authority.host();
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let is_name = |own: &String| own.eq_ignore_ascii_case(address);
    if server.hosts.iter().any(is_name) {
        return true;
    }
    match address.parse::<IpAddr>() {
        Ok(address) => {
            let own = server.address.ip();
            own.is_unspecified() || address == own || address.is_loopback()
        }
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    }
}

/// Status, content type, and the answer or a line of it.
type AnswerPart = (StatusCode, &'static str, String);

const JSON: &str = "application/json";
const JSON_LINES: &str = "application/x-ndjson";

const BODY_TIMEOUT: Refusal = (
    StatusCode::REQUEST_TIMEOUT,
    "the request was not sent in time",
);
const TOO_LARGE: Refusal = (
    StatusCode::PAYLOAD_TOO_LARGE,
    "a request has at most 65536 bytes, a file of games 4 MiB, and comes whole",
);
const BUSY_REFUSAL: Refusal = (UNAVAILABLE, "too many requests at a time; ask again");
const ANSWER_TIMEOUT: Refusal = (
    UNAVAILABLE,
    "the time of a request is over; ask a quicker player",
);
const CRASH_REFUSAL: Refusal = (UNAVAILABLE, "this request is beyond what is answered here");

const CLIENT_GONE: Refusal = (UNAVAILABLE, "the client has gone");
const INCOMPLETE_BODY: Refusal = (StatusCode::BAD_REQUEST, "the request breaks off");

struct AnswerSender {
    sender: mpsc::Sender<AnswerPart>,
    stop: Arc<AtomicBool>,
}

impl AnswerSender {
    /// Sends a part of an answer; returns false if the client is gone.
    fn send(&self, part: AnswerPart) -> bool {
        self.sender.try_send(part).is_ok()
    }

    fn is_gone(&self) -> bool {
        self.sender.is_closed()
    }
}

struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` with the request's body on a search thread.
async fn answer_on_worker(
    server: &Arc<Server>,
    connection: &Connection,
    body: Incoming,
    max_bytes: usize,
    work: impl FnOnce(&Server, &[u8], &AnswerSender) + Send + 'static,
) -> Result<Response<Content>, Refusal> {
    let exchange = connection
        .begin_request(max_bytes > MAX_REQUEST)
        .ok_or(BUSY_REFUSAL)?;
    let read = timeout(server.client_timeout, read_body(body, max_bytes)).await;
    let body = read.map_err(|_| BODY_TIMEOUT)??;
    exchange.mark_received();
    let client_timeout = server.limits.total + SEARCH_GRACE;
    let mut hang_up = Box::pin(connection.wait_for_hang_up());
    let stop_guard = StopOnDrop(Arc::default());
    let stop = Arc::clone(&stop_guard.0);
    let (sender, mut messages) = mpsc::channel::<AnswerPart>(MAX_UNSENT_MESSAGES);
    let first = async {
        let turn = server
            .queue
            .enqueue(connection.client)
            .ok_or(BUSY_REFUSAL)?;
        let turn = timeout(client_timeout, turn)
            .await
            .map_err(|_| ANSWER_TIMEOUT)?;
        let turn = turn.map_err(|_| BUSY_REFUSAL)?;
        let for_search = Arc::clone(server);
        tokio::task::spawn_blocking(move || {
            // Held until the search has ended, even if the client is gone.
            let _guards = (turn, exchange);
            work(&for_search, &body, &AnswerSender { sender, stop });
        });
        timeout(client_timeout, messages.recv())
            .await
            .map_err(|_| ANSWER_TIMEOUT)?
            .ok_or(CRASH_REFUSAL)
    };
    let (status, kind, line) = run_until(first, hang_up.as_mut())
        .await
        .ok_or(CLIENT_GONE)??;
    if kind != JSON_LINES {
        return Ok(make_response((status, kind, line)));
    }
    let first = Some(Bytes::from(line));
    Ok(make_response((
        status,
        kind,
        Content::Lines {
            first,
            others: messages,
            hang_up,
            _stop_guard: stop_guard,
        },
    )))
}

async fn read_body(mut body: Incoming, max_bytes: usize) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        if let Ok(data) = frame.map_err(|_| INCOMPLETE_BODY)?.into_data() {
            if data.len() > max_bytes - bytes.len() {
                return Err(TOO_LARGE);
            }
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes)
}

enum Content {
    Whole(Bytes),
    Lines {
        first: Option<Bytes>,
        others: mpsc::Receiver<AnswerPart>,
        hang_up: Pin<Box<dyn Future<Output = ()> + Send>>,
        _stop_guard: StopOnDrop,
    },
}

impl<T: Into<Bytes>> From<T> for Content {
    fn from(bytes: T) -> Self {
        Self::Whole(bytes.into())
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let next = match self.get_mut() {
            Self::Whole(bytes) => {
                let all = mem::take(bytes);
                Poll::Ready((!all.is_empty()).then_some(all))
            }
            Self::Lines {
                first,
                others,
                hang_up,
                ..
            } => match (hang_up.as_mut().poll(context), first.take()) {
                (Poll::Ready(()), _) => {
                    return Poll::Ready(Some(Err(ErrorKind::ConnectionAborted.into())));
                }
                (Poll::Pending, Some(first)) => Poll::Ready(Some(first)),
                (Poll::Pending, None) => others.poll_recv(context).map(|part| Some(part?.2.into())),
            },
        };
        next.map(|bytes| Some(Ok(Frame::data(bytes?))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Lines { .. } => SizeHint::default(),
        }
    }
}

fn status_of(answer: &Value) -> StatusCode {
    match (&answer["error"], &answer["out_of_time"]) {
        (Value::Null, _) => StatusCode::OK,
        (_, Value::Null) => StatusCode::BAD_REQUEST,
        _ => UNAVAILABLE,
    }
}

fn error_message(status: StatusCode, problem: &str) -> AnswerPart {
    (status, JSON, json!({ "error": problem }).to_string())
}

fn make_response(
    (status, kind, content): (StatusCode, &'static str, impl Into<Content>),
) -> Response<Content> {
    let mut response = Response::new(content.into());
    *response.status_mut() = status;
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ] {
        let value = header::HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}
