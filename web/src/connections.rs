//! Open HTTP connections, limited per client (IPv4 address or IPv6 /64 network) and in total.
//!
//! At a limit, a new connection replaces an idle one: the client's own if the client is at its
//! limit, else one of the client with the most connections.

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

pub(crate) struct ClientLimit {
    pub(crate) per_client: usize,
    pub(crate) total: usize,
}

const MAX_CONNECTIONS: ClientLimit = ClientLimit {
    per_client: 128,
    total: 512,
};
const MAX_UPLOADS: ClientLimit = ClientLimit {
    per_client: 8,
    total: 16,
};
const HANG_UP_INTERVAL: Duration = Duration::from_millis(20);

/// Activity of a connection; `Instant` is its start.
#[derive(Clone, Copy, PartialEq)]
enum Phase {
    /// Waiting for a request's head, or sending an answer.
    Idle(Instant),
    /// Receiving a request's body; the reader of the body enforces the timeout.
    Body(Instant),
    /// Computing an answer; such a connection is never evicted.
    Answer,
}

struct Entry {
    client: IpAddr,
    phase: Phase,
    requests: u64,
    has_file: bool,
    evicted: Arc<Notify>,
}

pub(crate) struct Connections {
    timeout: Duration,
    entries: Mutex<HashMap<u64, Entry>>,
}

impl Connections {
    pub(crate) fn new(timeout: Duration) -> Arc<Self> {
        let entries = Mutex::default();
        Arc::new(Self { timeout, entries })
    }

    fn lock_entries(&self) -> MutexGuard<'_, HashMap<u64, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a new connection, evicting another one at a limit; `None` if none can be evicted.
    pub(crate) fn admit(
        self: &Arc<Self>,
        number: u64,
        stream: TcpStream,
        address: IpAddr,
    ) -> Option<Connection> {
        let client = client_network(address);
        let evicted = Arc::new(Notify::new());
        let mut entries = self.lock_entries();
        if !make_room(&mut entries, client, &MAX_CONNECTIONS, |_| true) {
            return None;
        }
        let entry = Entry {
            client,
            phase: Phase::Idle(Instant::now()),
            requests: 0,
            has_file: false,
            evicted: Arc::clone(&evicted),
        };
        entries.insert(number, entry);
        Some(Connection {
            number,
            client,
            evicted,
            stream: Arc::new(stream),
            total: Arc::clone(self),
        })
    }
}

fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            Ipv6Addr::from(network).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// Makes room for one more of `client`'s connections among those that `is_counted` selects; false
/// if none can be evicted.
fn make_room(
    entries: &mut HashMap<u64, Entry>,
    client: IpAddr,
    limit: &ClientLimit,
    is_counted: impl Fn(&Entry) -> bool,
) -> bool {
    let mut counts = HashMap::<IpAddr, usize>::new();
    for entry in entries.values().filter(|entry| is_counted(entry)) {
        *counts.entry(entry.client).or_default() += 1;
    }
    let is_client_full = counts
        .get(&client)
        .is_some_and(|&own| own >= limit.per_client);
    if !is_client_full && counts.values().sum::<usize>() < limit.total {
        return true;
    }
    let idle = entries.iter().filter_map(|(&number, entry)| {
        let (Phase::Idle(since) | Phase::Body(since)) = entry.phase else {
            return None;
        };
        let is_candidate = is_counted(entry) && (!is_client_full || entry.client == client);
        is_candidate.then_some((counts[&entry.client], since, number))
    });
    let first = idle.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    let entry = first.and_then(|(.., number)| entries.remove(&number));
    entry.map(|entry| entry.evicted.notify_one()).is_some()
}

pub(crate) struct Connection {
    number: u64,
    pub(crate) client: IpAddr,
    evicted: Arc<Notify>,
    stream: Arc<TcpStream>,
    total: Arc<Connections>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.total.lock_entries().remove(&self.number);
    }
}

impl Connection {
    pub(crate) fn byte_stream(&self) -> ByteStream {
        ByteStream(Arc::clone(&self.stream))
    }

    pub(crate) async fn wait_for_expiry(&self) {
        let overdue = async {
            loop {
                let due = match self
                    .total
                    .lock_entries()
                    .get(&self.number)
                    .map(|entry| entry.phase)
                {
                    Some(Phase::Idle(since)) => since + self.total.timeout,
                    Some(_) => Instant::now() + self.total.timeout,
                    None => return,
                };
                if due <= Instant::now() {
                    return;
                }
                sleep_until(due).await;
            }
        };
        run_until(overdue, pin!(self.evicted.notified())).await;
    }

    pub(crate) fn wait_for_hang_up(&self) -> impl Future<Output = ()> + Send + 'static {
        let stream = Arc::clone(&self.stream);
        async move {
            while let Ok(state) = stream.ready(Interest::READABLE).await
                && !state.is_read_closed()
            {
                sleep(HANG_UP_INTERVAL).await;
            }
        }
    }

    pub(crate) fn restart_idle_timer(&self) {
        if let Some(entry) = self.total.lock_entries().get_mut(&self.number) {
            entry.phase = Phase::Idle(Instant::now());
        }
    }

    /// Starts a request with a body; `None` if too many files are being uploaded or the connection
    /// has been evicted.
    pub(crate) fn begin_request(&self, has_file: bool) -> Option<RequestGuard> {
        let mut entries = self.total.lock_entries();
        let has_room = !has_file
            || make_room(&mut entries, self.client, &MAX_UPLOADS, |entry| {
                entry.has_file
            });
        let entry = entries.get_mut(&self.number).filter(|_| has_room)?;
        entry.phase = Phase::Body(Instant::now());
        entry.has_file = has_file;
        entry.requests += 1;
        Some(RequestGuard {
            number: self.number,
            request: entry.requests,
            total: Arc::clone(&self.total),
        })
    }
}

/// Request with a body; dropping it makes the connection idle.
pub(crate) struct RequestGuard {
    number: u64,
    request: u64,
    total: Arc<Connections>,
}

impl RequestGuard {
    pub(crate) fn mark_received(&self) {
        self.set_phase(Phase::Answer);
    }

    fn set_phase(&self, phase: Phase) {
        let mut entries = self.total.lock_entries();
        let entry = entries.get_mut(&self.number);
        if let Some(entry) = entry.filter(|entry| entry.requests == self.request) {
            entry.phase = phase;
            entry.has_file &= phase == Phase::Answer;
        }
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.set_phase(Phase::Idle(Instant::now()));
    }
}

/// Result of `work`; `None` if `end` completes first.
pub(crate) async fn run_until<T>(
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

/// Socket for hyper's reads and writes, shared with [`Connection::wait_for_hang_up`].
pub(crate) struct ByteStream(Arc<TcpStream>);

impl ByteStream {
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

impl hyper::rt::Read for ByteStream {
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

impl hyper::rt::Write for ByteStream {
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

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_idle_connection_of_the_client_with_the_most_is_evicted() {
        let now = Instant::now();
        let [many, few, new] = [1, 2, 3].map(|last| IpAddr::from([10, 0, 0, last]));
        let entry = |client, phase| Entry {
            client,
            phase,
            requests: 0,
            has_file: false,
            evicted: Arc::default(),
        };
        let after = |seconds| now + Duration::from_secs(seconds);
        let entries = || {
            HashMap::from([
                (0, entry(few, Phase::Idle(after(0)))),
                (1, entry(many, Phase::Body(after(1)))),
                (2, entry(many, Phase::Answer)),
                (3, entry(many, Phase::Idle(after(2)))),
            ])
        };
        for (client, per_client, total, eviction) in [
            (new, 9, 9, None),
            (new, 3, 5, None),
            (few, 2, 5, None),
            (many, 4, 5, None),
            (new, 9, 4, Some(1)),
            (few, 9, 4, Some(1)),
            (many, 9, 4, Some(1)),
            (many, 3, 9, Some(1)),
            (few, 1, 9, Some(0)),
        ] {
            let mut entries = entries();
            assert!(make_room(
                &mut entries,
                client,
                &ClientLimit { per_client, total },
                |_| { true }
            ));
            let gone: Vec<u64> = (0..4)
                .filter(|number| !entries.contains_key(number))
                .collect();
            assert_eq!(
                gone,
                Vec::from_iter(eviction),
                "{client} {per_client} {total}"
            );
        }
        let mut answered = HashMap::from([(0, entry(few, Phase::Answer))]);
        for (client, per_client, total) in [(few, 1, 9), (new, 9, 1)] {
            assert!(!make_room(
                &mut answered,
                client,
                &ClientLimit { per_client, total },
                |_| true
            ));
        }
        assert_eq!(answered.len(), 1);
    }

    #[test]
    fn a_client_is_an_address_or_a_network_of_64_bits() {
        for (per_client, other, is_same) in [
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "127.0.0.2", false),
            ("127.0.0.1", "::ffff:127.0.0.1", true),
            ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true),
            ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
        ] {
            let [per_client, other] =
                [per_client, other].map(|text| client_network(text.parse().unwrap()));
            assert_eq!(per_client == other, is_same, "{per_client} {other}");
        }
    }
}
