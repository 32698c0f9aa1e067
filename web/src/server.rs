//! The board over HTTP: the page at `/`, the API at `POST /api`, and GTP at `/exec` if asked for.
//!
//! Nothing of a request is trusted: its length and the time to send it are bounded, `Host` and
//! `Origin` have to be this server's own, so that no page of another site asks in a visitor's name,
//! and searches run on threads of their own, a few at a time, and end when their client goes.
//! Invariant: whatever comes in, the answer is one JSON object, an answer of GTP or a file of the page;
//! a wrong request is 4xx, and 503 means that the bounds are reached.

use crate::answer::answer_each;
use crate::connections::{Connection, Connections, unless};
use crate::gtp_http::Sessions;
use crate::limits::{MAX_REQUEST, RequestLimits};
use crate::page::{FILES, POLICY, content_type};
use crate::turns::Turns;
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

/// Bytes of the longest file of games.
const MAX_FILE_BYTES: usize = 4 << 20;
/// Bytes of the longest head of a request, or of what is read at a time of others.
const MAX_HEAD: usize = 16 << 10;
/// How much longer than its bound a request is waited for: the search that is under way.
const GRACE: Duration = Duration::from_secs(10);
/// Parts of a stream that are not yet sent; an answer has fewer, so that no search waits for a client.
const MAX_PARTS: usize = 64;
/// Threads of connections; searches have their own.
const THREADS: usize = 2;
/// After a connection could not be accepted, as without descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Makes JSON of a file of games, or says in a line what is wrong with it; until it hears that its
/// time is over.
pub type ReadGames = fn(&[u8], &dyn Fn() -> bool) -> Result<String, String>;

/// How a server answers.
pub struct ServerOptions {
    /// Searches at a time; other requests wait.
    pub searches: usize,
    /// Who reads files of games.
    pub games: ReadGames,
    /// Whether GTP is answered, too.
    pub exec: bool,
    /// What a request may cost.
    pub bounds: RequestLimits,
    /// How long a client may take for the head of a request, for its body, and for an answer.
    pub patience: Duration,
}

impl ServerOptions {
    /// Without GTP, with the usual bounds.
    #[must_use]
    pub fn new(searches: usize, games: ReadGames) -> Self {
        Self {
            searches,
            games,
            exec: false,
            bounds: RequestLimits::default(),
            patience: Duration::from_secs(10),
        }
    }
}

/// What all requests share.
struct Shared {
    address: SocketAddr,
    bounds: RequestLimits,
    patience: Duration,
    /// For `/exec`, if that is answered.
    sessions: Option<Arc<Sessions>>,
    games: ReadGames,
    turns: Arc<Turns>,
}

/// Serves the board to whoever connects to `listener`, until the process ends.
///
/// # Errors
/// If threads cannot be started or the listener fails.
pub fn serve(listener: std::net::TcpListener, options: ServerOptions) -> io::Result<Infallible> {
    listener.set_nonblocking(true)?;
    let ServerOptions {
        searches,
        games,
        exec,
        bounds,
        patience,
    } = options;
    let shared = Arc::new(Shared {
        address: listener.local_addr()?,
        sessions: exec.then(|| Arc::new(Sessions::new(bounds.clone()))),
        bounds,
        patience,
        games,
        turns: Turns::new(searches),
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .max_blocking_threads(searches)
        .enable_io()
        .enable_time()
        .build()?;
    runtime.block_on(accept(listener, shared))
}

/// Takes connections and answers each by a task of its own.
async fn accept(listener: std::net::TcpListener, shared: Arc<Shared>) -> io::Result<Infallible> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let connections = Connections::new(shared.patience);
    let mut number = 0;
    loop {
        match listener.accept().await {
            // Where there is no room, it is closed at once.
            Ok((stream, address)) => {
                if let Some(connection) = connections.open(number, stream, address.ip()) {
                    tokio::spawn(converse(connection, Arc::clone(&shared)));
                }
                number += 1;
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// Answers one request after another, until the client or this side ends that.
async fn converse(connection: Connection, shared: Arc<Shared>) {
    let answer = service_fn(|request| {
        let (shared, connection) = (&shared, &connection);
        async move { Ok::<_, Infallible>(respond(shared, connection, request).await) }
    });
    let mut http = http1::Builder::new();
    let http = http
        .max_buf_size(MAX_HEAD)
        .serve_connection(connection.bytes(), answer);
    // What was wrong with the connection, nobody is left to hear.
    let _ = unless(http, pin!(connection.ends())).await;
}

/// What is wrong with a request, and its status.
type Refusal = (StatusCode, &'static str);

async fn respond(
    shared: &Arc<Shared>,
    connection: &Connection,
    request: Request<Incoming>,
) -> Response<Content> {
    connection.has_asked();
    let answered = answered(shared, connection, request).await;
    answered.unwrap_or_else(|(status, problem)| whole(refused(status, problem)))
}

async fn answered(
    shared: &Arc<Shared>,
    connection: &Connection,
    request: Request<Incoming>,
) -> Result<Response<Content>, Refusal> {
    let (head, body) = request.into_parts();
    own(shared, &head.headers).map_err(|problem| (StatusCode::FORBIDDEN, problem))?;
    match (&head.method, head.uri.path()) {
        (&Method::POST, "/api") => {
            searched(
                shared,
                connection,
                body,
                MAX_REQUEST,
                |shared, text, asker| {
                    let limits = Limits::from(&asker.stop);
                    let mut in_parts = false;
                    answer_each(text, &shared.bounds, &limits, |answer, is_last| {
                        in_parts |= !is_last;
                        let json = answer.to_string();
                        asker.tell(match in_parts {
                            true => (StatusCode::OK, LINES, json + "\n"),
                            false => (status_of(answer), JSON, json),
                        })
                    });
                },
            )
            .await
        }
        (&Method::POST, "/records") => {
            searched(
                shared,
                connection,
                body,
                MAX_FILE_BYTES,
                |shared, bytes, asker| {
                    let time = Duration::from_secs_f64(shared.bounds.milliseconds / 1000.0);
                    let deadline = Instant::now() + time;
                    let is_over = || asker.has_gone() || Instant::now() > deadline;
                    asker.tell(match (shared.games)(bytes, &is_over) {
                        Ok(json) => (StatusCode::OK, JSON, json),
                        Err(problem) => refused(StatusCode::BAD_REQUEST, &problem),
                    });
                },
            )
            .await
        }
        (method, path) if path == "/exec" || path.starts_with("/exec/") => {
            let name = path["/exec".len()..].trim_start_matches('/').to_owned();
            let sessions = may_exec(shared, method, &name, &head.headers)?;
            sessions.interrupt(&name);
            let command = head.uri.query().map(|query| {
                let spaced = query.replace('+', " ");
                percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
            });
            searched(
                shared,
                connection,
                body,
                MAX_REQUEST,
                move |_, body, asker| {
                    let body = || String::from_utf8_lossy(text::without_mark(body)).into_owned();
                    let command = command.unwrap_or_else(body);
                    asker.tell(match sessions.answer(&name, &command, &asker.stop) {
                        Ok(said) => (StatusCode::OK, "text/plain; charset=utf-8", said),
                        Err(problem) => refused(NOT_NOW, problem),
                    });
                },
            )
            .await
        }
        (_, "/api" | "/records") => Err((NOT_SO, "the API answers POST only")),
        (&Method::GET | &Method::HEAD, path) => {
            let name = path.strip_prefix('/').unwrap_or(path);
            let name = if name.is_empty() { "index.html" } else { name };
            let file = FILES.iter().find(|(known, _)| *known == name);
            let nothing = "there is no such page; there are / and POST /api";
            let (name, content) = file.ok_or((StatusCode::NOT_FOUND, nothing))?;
            Ok(whole((StatusCode::OK, content_type(name), *content)))
        }
        _ => Err((NOT_SO, "pages answer GET only")),
    }
}

const NOT_SO: StatusCode = StatusCode::METHOD_NOT_ALLOWED;
const NOT_NOW: StatusCode = StatusCode::SERVICE_UNAVAILABLE;

/// The sessions, if GTP is answered to such a request. A browser sends what a picture of another
/// site asks for without `Origin`, but says from where.
fn may_exec(
    shared: &Shared,
    method: &Method,
    name: &str,
    headers: &HeaderMap,
) -> Result<Arc<Sessions>, Refusal> {
    let off = "GTP is not answered here: alea web --exec";
    let sessions = shared.sessions.clone();
    let sessions = sessions.ok_or((StatusCode::NOT_FOUND, off))?;
    let from = headers.get("sec-fetch-site");
    let from = from.map_or("none", |from| from.to_str().unwrap_or_default());
    if !["none", "same-origin"].contains(&from) {
        return Err((StatusCode::FORBIDDEN, "another site may not ask"));
    }
    if ![Method::GET, Method::POST].contains(method) {
        return Err((NOT_SO, "/exec answers GET and POST only"));
    }
    let named = "the name of a session is at most 32 letters, digits, - and _";
    let is_name = Sessions::is_name(name).then_some(sessions);
    is_name.ok_or((StatusCode::BAD_REQUEST, named))
}

/// Whether a request was meant for this server, and comes from its own page if from any.
fn own(shared: &Shared, headers: &HeaderMap) -> Result<(), &'static str> {
    let all = |name| -> Vec<&str> {
        let values = headers.get_all(name).iter();
        values.map(|value| value.to_str().unwrap_or("?")).collect()
    };
    let is_here = |origin: &str| {
        let host = origin.strip_prefix("http://");
        host.is_some_and(|host| is_own(shared, host))
    };
    match all(header::HOST)[..] {
        [host] if is_own(shared, host) => {}
        _ => return Err("'Host' is not this server; use the address that it printed"),
    }
    match all(header::ORIGIN)[..] {
        [] => Ok(()),
        [origin] if is_here(origin) => Ok(()),
        _ => Err("'Origin' is not this server's page"),
    }
}

/// Names that lead here and that no other site can have: `localhost` and addresses, with the port.
/// Who listens on all addresses is reached by any of them.
fn is_own(shared: &Shared, host: &str) -> bool {
    let parts = host.parse::<Uri>().map(Uri::into_parts);
    let Ok(Parts {
        scheme: None,
        authority: Some(said),
        path_and_query: None,
        ..
    }) = parts
    else {
        return false;
    };
    // Browsers leave out the usual port.
    if said.port_u16().unwrap_or(80) != shared.address.port() || host.contains('@') {
        return false;
    }
    let name = said.host();
    let address = name.trim_start_matches('[').trim_end_matches(']');
    match address.parse::<IpAddr>() {
        Ok(address) => {
            let listened = shared.address.ip();
            listened.is_unspecified() || address == listened || address.is_loopback()
        }
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    }
}

/// An answer: its status, its type, and all of it or, of [`LINES`], a line.
type Part = (StatusCode, &'static str, String);

const JSON: &str = "application/json";
/// Answers that are told in parts, each a line of JSON.
const LINES: &str = "application/x-ndjson";

const UNSENT: Refusal = (
    StatusCode::REQUEST_TIMEOUT,
    "the request was not sent in time",
);
const LARGE: Refusal = (
    StatusCode::PAYLOAD_TOO_LARGE,
    "a request has at most 65536 bytes, a file of games 4 MiB, and comes whole",
);
const BUSY: Refusal = (NOT_NOW, "too many requests at a time; ask again");
const LATE: Refusal = (
    NOT_NOW,
    "the time of a request is over; ask a quicker player",
);
const BEYOND: Refusal = (NOT_NOW, "this request is beyond what is answered here");

const GONE: Refusal = (NOT_NOW, "the client has gone");
const CUT: Refusal = (StatusCode::BAD_REQUEST, "the request breaks off");

/// Who waits for an answer.
struct Asker {
    parts: mpsc::Sender<Part>,
    /// Is set when nobody waits any more; who searches may set it, too.
    stop: Arc<AtomicBool>,
}

impl Asker {
    /// Sends a part; whether anybody still listens.
    fn tell(&self, part: Part) -> bool {
        self.parts.try_send(part).is_ok()
    }

    fn has_gone(&self) -> bool {
        self.parts.is_closed()
    }
}

/// Ends a search when this is dropped, with the connection or with the answer.
struct Waits(Arc<AtomicBool>);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads a request and answers it on a thread for searches.
async fn searched(
    shared: &Arc<Shared>,
    connection: &Connection,
    body: Incoming,
    longest: usize,
    work: impl FnOnce(&Shared, &[u8], &Asker) + Send + 'static,
) -> Result<Response<Content>, Refusal> {
    let exchange = connection.receive(longest > MAX_REQUEST).ok_or(BUSY)?;
    let read = timeout(shared.patience, read(body, longest)).await;
    let text = read.map_err(|_| UNSENT)??;
    exchange.is_received();
    let patience = shared.bounds.total + GRACE;
    let mut hung_up = Box::pin(connection.hung_up());
    let waits = Waits(Arc::default());
    let stop = Arc::clone(&waits.0);
    let (parts, mut heard) = mpsc::channel::<Part>(MAX_PARTS);
    let first = async {
        let turn = shared.turns.take(connection.client).ok_or(BUSY)?;
        let turn = timeout(patience, turn).await.map_err(|_| LATE)?;
        let turn = turn.map_err(|_| BUSY)?;
        let for_search = Arc::clone(shared);
        tokio::task::spawn_blocking(move || {
            // Both stay taken until the search has ended, even if nobody waits for it any more.
            let _taken = (turn, exchange);
            work(&for_search, &text, &Asker { parts, stop });
        });
        timeout(patience, heard.recv())
            .await
            .map_err(|_| LATE)?
            .ok_or(BEYOND)
    };
    let (status, kind, line) = unless(first, hung_up.as_mut()).await.ok_or(GONE)??;
    if kind != LINES {
        return Ok(whole((status, kind, line)));
    }
    let first = Some(Bytes::from(line));
    Ok(whole((
        status,
        kind,
        Content::Lines {
            first,
            others: heard,
            hung_up,
            _waits: waits,
        },
    )))
}

/// All of a request that is not longer than so many bytes.
async fn read(mut body: Incoming, longest: usize) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        if let Ok(data) = frame.map_err(|_| CUT)?.into_data() {
            if data.len() > longest - bytes.len() {
                return Err(LARGE);
            }
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes)
}

/// What is sent: all at once, or line by line as it comes.
enum Content {
    Whole(Bytes),
    Lines {
        first: Option<Bytes>,
        others: mpsc::Receiver<Part>,
        hung_up: Pin<Box<dyn Future<Output = ()> + Send>>,
        _waits: Waits,
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
                hung_up,
                ..
            } => match (hung_up.as_mut().poll(context), first.take()) {
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
        _ => NOT_NOW,
    }
}

fn refused(status: StatusCode, problem: &str) -> Part {
    (status, JSON, json!({ "error": problem }).to_string())
}

/// With what every answer says to a browser.
fn whole(
    (status, kind, content): (StatusCode, &'static str, impl Into<Content>),
) -> Response<Content> {
    let mut response = Response::new(content.into());
    *response.status_mut() = status;
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
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
