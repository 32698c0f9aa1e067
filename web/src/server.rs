//! The board over HTTP: the page at `/`, the API at `POST /api`, and GTP at `/exec` if asked for.
//!
//! Nothing of a request is trusted: its length and the time to send it are bounded, `Host` and
//! `Origin` have to be this server's own, so that no page of another site asks in a visitor's name,
//! and searches run on threads of their own, a few at a time. Invariant: whatever comes in, the
//! answer is one JSON object, an answer of GTP or a file of the page; a wrong request is 4xx, and 503
//! means that the bounds are reached.

use crate::answer::answer_each;
use crate::bounds::{Bounds, LONGEST};
use crate::exec::Sessions;
use crate::page::{FILES, POLICY, kind_of};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header, uri::Authority},
    response::{IntoResponse as _, Response},
};
use engine::core::text;
use futures_util::{StreamExt as _, stream};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use std::{
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{Semaphore, mpsc},
    time::timeout,
};

/// Bytes of the longest file of games.
const LONGEST_FILE: usize = 4 << 20;
/// A request that is not sent after so long is given up.
const SENDING: Duration = Duration::from_secs(10);
/// Requests that wait for their turn or are answered.
const WAITING: usize = 64;
/// How much longer than its bound a request is waited for: the search that is under way.
const GRACE: Duration = Duration::from_secs(10);
/// Threads of connections; searches have their own.
const THREADS: usize = 2;

/// Makes JSON of a file of games, or says in a line what is wrong with it.
pub type ReadGames = fn(&[u8]) -> Result<String, String>;

/// What all requests share.
struct Shared {
    address: SocketAddr,
    bounds: Bounds,
    /// For `/exec`, if that is answered.
    sessions: Option<Arc<Sessions>>,
    games: ReadGames,
    searches: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

/// Serves the board to whoever connects to `listener`, until the process ends, with `exec` also
/// GTP; at most so many `searches` at a time, others wait. Files of games are read by `games`.
///
/// # Errors
/// If threads cannot be started or the listener fails.
pub fn serve(
    listener: std::net::TcpListener,
    searches: usize,
    games: ReadGames,
    exec: bool,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let bounds = Bounds::default();
    let shared = Arc::new(Shared {
        address: listener.local_addr()?,
        sessions: exec.then(|| Arc::new(Sessions::new(bounds.clone()))),
        bounds,
        games,
        searches: Arc::new(Semaphore::new(searches)),
        waiting: Arc::new(Semaphore::new(WAITING)),
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .max_blocking_threads(searches)
        .enable_io()
        .enable_time()
        .build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let router = Router::new().fallback(respond).with_state(shared);
        axum::serve(listener, router).await
    })
}

/// What is wrong with a request, and its status.
type Refusal = (StatusCode, &'static str);

async fn respond(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let answered = answered(&shared, request).await;
    answered.unwrap_or_else(|(status, problem)| whole(refused(status, problem)))
}

async fn answered(shared: &Arc<Shared>, request: Request) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    own(shared, &head.headers).map_err(|problem| (StatusCode::FORBIDDEN, problem))?;
    match (&head.method, head.uri.path()) {
        (&Method::POST, "/api") => {
            searched(shared, body, LONGEST, |shared, text, tell| {
                let mut in_parts = false;
                answer_each(text, &shared.bounds, |answer, is_last| {
                    in_parts |= !is_last;
                    let json = answer.to_string();
                    tell(match in_parts {
                        true => (StatusCode::OK, LINES, json + "\n"),
                        false => (status_of(answer), JSON, json),
                    })
                });
            })
            .await
        }
        (&Method::POST, "/records") => {
            searched(shared, body, LONGEST_FILE, |shared, bytes, tell| {
                tell(match (shared.games)(bytes) {
                    Ok(json) => (StatusCode::OK, JSON, json),
                    Err(problem) => refused(StatusCode::BAD_REQUEST, &problem),
                });
            })
            .await
        }
        (method, path) if path == "/exec" || path.starts_with("/exec/") => {
            let name = path["/exec".len()..].trim_start_matches('/').to_owned();
            let sessions = may_exec(shared, method, &name, &head.headers)?;
            let command = head.uri.query().map(|query| {
                let spaced = query.replace('+', " ");
                percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
            });
            searched(shared, body, LONGEST, move |_, body, tell| {
                let body = || String::from_utf8_lossy(text::without_mark(body)).into_owned();
                let command = command.unwrap_or_else(body);
                tell(match sessions.answer(&name, &command) {
                    Ok(said) => (StatusCode::OK, "text/plain; charset=utf-8", said),
                    Err(problem) => refused(NOT_NOW, problem),
                });
            })
            .await
        }
        (_, "/api" | "/records") => Err((NOT_SO, "the API answers POST only")),
        (&Method::GET | &Method::HEAD, path) => {
            let name = path.strip_prefix('/').unwrap_or(path);
            let name = if name.is_empty() { "index.html" } else { name };
            let file = FILES.iter().find(|(known, _)| *known == name);
            let nothing = "there is no such page; there are / and POST /api";
            let (name, content) = file.ok_or((StatusCode::NOT_FOUND, nothing))?;
            Ok(whole((StatusCode::OK, kind_of(name), *content)))
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
    let Ok(said) = host.parse::<Authority>() else {
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

/// Reads a request and answers it on a thread for searches, which is given how to tell a part: by
/// `false` it hears that nobody listens any more.
async fn searched(
    shared: &Arc<Shared>,
    body: Body,
    longest: usize,
    work: impl FnOnce(&Shared, &[u8], &dyn Fn(Part) -> bool) + Send + 'static,
) -> Result<Response, Refusal> {
    let waits = Arc::clone(&shared.waiting).try_acquire_owned();
    let waits = waits.map_err(|_| BUSY)?;
    let read = timeout(SENDING, to_bytes(body, longest)).await;
    let text = read.map_err(|_| UNSENT)?.map_err(|_| LARGE)?;
    let patience = shared.bounds.whole + GRACE;
    let turn = Arc::clone(&shared.searches).acquire_owned();
    let turn = timeout(patience, turn).await.map_err(|_| LATE)?;
    let turn = turn.map_err(|_| BUSY)?;
    let for_search = Arc::clone(shared);
    let (told, mut heard) = mpsc::channel::<Part>(1);
    tokio::task::spawn_blocking(move || {
        // Both stay taken until the search has ended, even if nobody waits for it any more.
        let _taken = (waits, turn);
        work(&for_search, &text, &|part| told.blocking_send(part).is_ok());
    });
    let first = timeout(patience, heard.recv()).await.map_err(|_| LATE)?;
    let (status, kind, line) = first.ok_or(BEYOND)?;
    if kind != LINES {
        return Ok(whole((status, kind, line)));
    }
    // With the connection goes who hears, and with that the search.
    let others = stream::poll_fn(move |context| heard.poll_recv(context));
    let lines = stream::iter([line]).chain(others.map(|(_, _, line)| line));
    let lines = lines.map(Ok::<_, Infallible>);
    Ok(whole((status, kind, Body::from_stream(lines))))
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
fn whole((status, kind, content): (StatusCode, &'static str, impl Into<Body>)) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (status, headers, content.into()).into_response()
}
