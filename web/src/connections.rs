//! Who is connected, and how long that may ask nothing: bounds of each client and of all.
//!
//! A client is an address, of IPv6 the 64 bits of its network. Whoever comes beyond a bound takes the
//! room of the connection that has been waited for longest, so that who asks nothing, or never ends
//! its request, shuts nobody out. Invariant: every connection that is open is listed, and one that is
//! waited for ends after the same time whatever it does.

use std::{
    collections::HashMap,
    future::poll_fn,
    io::{self, ErrorKind},
    net::{IpAddr, Ipv6Addr},
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::Interest,
    net::TcpStream,
    sync::Notify,
    time::{Instant, sleep, sleep_until},
};

/// How many there may be of one client, and in all.
pub(crate) struct Bound {
    pub(crate) one: usize,
    pub(crate) all: usize,
}

/// Connections. All are fewer than the descriptors that a process usually has.
const CONNECTIONS: Bound = Bound { one: 128, all: 512 };
/// Requests with a file of games.
const FILES: Bound = Bound { one: 8, all: 16 };
/// How often it is looked whether a client has gone that sent more than it was to send.
const LOOK: Duration = Duration::from_millis(20);

/// What of a connection comes next.
#[derive(Clone, Copy, PartialEq)]
enum Phase {
    /// A request from the client, or it takes the answer; since then.
    Idle(Instant),
    /// The rest of a request, which has a deadline of its own; since then.
    Body(Instant),
    /// The answer.
    Answer,
}

struct Entry {
    client: IpAddr,
    phase: Phase,
    /// Requests of which the body was waited for.
    requests: u64,
    /// Whether the last of them is to have a file of games.
    has_file: bool,
    /// Tells that it gives way.
    displaced: Arc<Notify>,
}

/// All open connections.
pub(crate) struct Connections {
    /// How long a client may take for a request's head, and for an answer.
    patience: Duration,
    entries: Mutex<HashMap<u64, Entry>>,
}

impl Connections {
    pub(crate) fn new(patience: Duration) -> Arc<Self> {
        let entries = Mutex::default();
        Arc::new(Self { patience, entries })
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<u64, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists connection `number`; `None` if there is no room, for all are being answered.
    pub(crate) fn open(
        self: &Arc<Self>,
        number: u64,
        stream: TcpStream,
        address: IpAddr,
    ) -> Option<Connection> {
        let client = client(address);
        let displaced = Arc::new(Notify::new());
        let mut entries = self.entries();
        if !make_room(&mut entries, client, &CONNECTIONS, |_| true) {
            return None;
        }
        let entry = Entry {
            client,
            phase: Phase::Idle(Instant::now()),
            requests: 0,
            has_file: false,
            displaced: Arc::clone(&displaced),
        };
        entries.insert(number, entry);
        Some(Connection {
            number,
            client,
            displaced,
            stream: Arc::new(stream),
            all: Arc::clone(self),
        })
    }
}

/// The client that comes from an address.
fn client(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            Ipv6Addr::from(network).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// Whether there is room for one more of those that count, for which another may give way.
fn make_room(
    entries: &mut HashMap<u64, Entry>,
    client: IpAddr,
    bound: &Bound,
    counts: impl Fn(&Entry) -> bool,
) -> bool {
    let mut of_each = HashMap::<IpAddr, usize>::new();
    for entry in entries.values().filter(|entry| counts(entry)) {
        *of_each.entry(entry.client).or_default() += 1;
    }
    let is_full_of_one = of_each.get(&client).is_some_and(|&own| own >= bound.one);
    if !is_full_of_one && of_each.values().sum::<usize>() < bound.all {
        return true;
    }
    // Of who has most, the one that was waited for longest.
    let waited_for = entries.iter().filter_map(|(&number, entry)| {
        let (Phase::Idle(since) | Phase::Body(since)) = entry.phase else {
            return None;
        };
        let may_go = counts(entry) && (!is_full_of_one || entry.client == client);
        may_go.then_some((of_each[&entry.client], since, number))
    });
    let first = waited_for.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    let entry = first.and_then(|(.., number)| entries.remove(&number));
    entry.map(|entry| entry.displaced.notify_one()).is_some()
}

/// An open connection, listed as long as this lives.
pub(crate) struct Connection {
    number: u64,
    pub(crate) client: IpAddr,
    displaced: Arc<Notify>,
    stream: Arc<TcpStream>,
    all: Arc<Connections>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.entries().remove(&self.number);
    }
}

impl Connection {
    /// Its bytes.
    pub(crate) fn bytes(&self) -> Bytes {
        Bytes(Arc::clone(&self.stream))
    }

    /// Ends once this connection has to: it gave way, or was waited for too long.
    pub(crate) async fn ends(&self) {
        let is_overdue = async {
            loop {
                let due = match self
                    .all
                    .entries()
                    .get(&self.number)
                    .map(|entry| entry.phase)
                {
                    Some(Phase::Idle(since)) => since + self.all.patience,
                    Some(_) => Instant::now() + self.all.patience,
                    None => return,
                };
                if due <= Instant::now() {
                    return;
                }
                sleep_until(due).await;
            }
        };
        unless(is_overdue, pin!(self.displaced.notified())).await;
    }

    /// Ends once the client has hung up, or at least sends no more, whatever it has sent before.
    pub(crate) fn hung_up(&self) -> impl Future<Output = ()> + Send + 'static {
        let stream = Arc::clone(&self.stream);
        async move {
            while let Ok(state) = stream.ready(Interest::READABLE).await
                && !state.is_read_closed()
            {
                sleep(LOOK).await;
            }
        }
    }

    /// A request has come, of which there is nothing more to wait for.
    pub(crate) fn has_asked(&self) {
        if let Some(entry) = self.all.entries().get_mut(&self.number) {
            entry.phase = Phase::Idle(Instant::now());
        }
    }

    /// A request has come, and its body is to follow; `None` if there are too many with files.
    pub(crate) fn receive(&self, has_file: bool) -> Option<Exchange> {
        let mut entries = self.all.entries();
        let has_room =
            !has_file || make_room(&mut entries, self.client, &FILES, |entry| entry.has_file);
        let entry = entries.get_mut(&self.number).filter(|_| has_room)?;
        entry.phase = Phase::Body(Instant::now());
        entry.has_file = has_file;
        entry.requests += 1;
        Some(Exchange {
            number: self.number,
            request: entry.requests,
            all: Arc::clone(&self.all),
        })
    }
}

/// A request that is received and answered; when this ends, the client is waited for again.
pub(crate) struct Exchange {
    number: u64,
    request: u64,
    all: Arc<Connections>,
}

impl Exchange {
    /// The request is here.
    pub(crate) fn is_received(&self) {
        self.enter(Phase::Answer);
    }

    /// The connection goes over to a phase, if it still stands and this is its last request.
    fn enter(&self, phase: Phase) {
        let mut entries = self.all.entries();
        let entry = entries.get_mut(&self.number);
        if let Some(entry) = entry.filter(|entry| entry.requests == self.request) {
            entry.phase = phase;
            entry.has_file &= phase == Phase::Answer;
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.enter(Phase::Idle(Instant::now()));
    }
}

/// What a future ends with, unless another ends before.
pub(crate) async fn unless<T>(
    work: impl Future<Output = T>,
    mut end: Pin<&mut impl Future<Output = ()>>,
) -> Option<T> {
    let mut work = pin!(work);
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => end.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// The bytes of a connection, while others look whether it still stands.
pub(crate) struct Bytes(Arc<TcpStream>);

impl Bytes {
    /// Tries until it would not have to wait.
    fn once_ready<T>(
        context: &mut Context<'_>,
        is_ready: impl Fn(&mut Context<'_>) -> Poll<io::Result<()>>,
        mut attempt: impl FnMut() -> io::Result<T>,
    ) -> Poll<io::Result<T>> {
        loop {
            ready!(is_ready(context))?;
            match attempt() {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                done => return Poll::Ready(done),
            }
        }
    }
}

impl hyper::rt::Read for Bytes {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut buffer: hyper::rt::ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = [0; 8192];
        let room = buffer.remaining().min(bytes.len());
        let stream = &self.0;
        let is_ready = |context: &mut Context<'_>| stream.poll_read_ready(context);
        let read = Self::once_ready(context, is_ready, || stream.try_read(&mut bytes[..room]));
        read.map_ok(|read| buffer.put_slice(&bytes[..read]))
    }
}

impl hyper::rt::Write for Bytes {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let stream = &self.0;
        let is_ready = |context: &mut Context<'_>| stream.poll_write_ready(context);
        Self::once_ready(context, is_ready, || stream.try_write(bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Nothing: the connection closes with its last owner.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_most_and_was_waited_for_longest_gives_way() {
        let now = Instant::now();
        let [most, few, new] = [1, 2, 3].map(|last| IpAddr::from([10, 0, 0, last]));
        let entry = |client, phase| Entry {
            client,
            phase,
            requests: 0,
            has_file: false,
            displaced: Arc::default(),
        };
        let after = |seconds| now + Duration::from_secs(seconds);
        let entries = || {
            HashMap::from([
                (0, entry(few, Phase::Idle(after(0)))),
                (1, entry(most, Phase::Body(after(1)))),
                (2, entry(most, Phase::Answer)),
                (3, entry(most, Phase::Idle(after(2)))),
            ])
        };
        // Who comes, the bounds; who gives way, if anybody has to.
        for (client, one, all, gives_way) in [
            (new, 9, 9, None),
            (new, 3, 5, None),
            (few, 2, 5, None),
            (most, 4, 5, None),
            // Beyond the bound of all, and of one.
            (new, 9, 4, Some(1)),
            (few, 9, 4, Some(1)),
            (most, 9, 4, Some(1)),
            (most, 3, 9, Some(1)),
            (few, 1, 9, Some(0)),
        ] {
            let mut entries = entries();
            assert!(make_room(&mut entries, client, &Bound { one, all }, |_| {
                true
            }));
            let gone: Vec<u64> = (0..4)
                .filter(|number| !entries.contains_key(number))
                .collect();
            assert_eq!(gone, Vec::from_iter(gives_way), "{client} {one} {all}");
        }
        // Nobody who is answered does.
        let mut answered = HashMap::from([(0, entry(few, Phase::Answer))]);
        for (client, one, all) in [(few, 1, 9), (new, 9, 1)] {
            assert!(!make_room(
                &mut answered,
                client,
                &Bound { one, all },
                |_| true
            ));
        }
        assert_eq!(answered.len(), 1);
    }

    #[test]
    fn a_client_is_an_address_or_a_network_of_64_bits() {
        for (one, other, is_same) in [
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "127.0.0.2", false),
            ("127.0.0.1", "::ffff:127.0.0.1", true),
            ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true),
            ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
        ] {
            let [one, other] = [one, other].map(|text| client(text.parse().unwrap()));
            assert_eq!(one == other, is_same, "{one} {other}");
        }
    }
}
