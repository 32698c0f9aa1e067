//! Queue for the search threads: a free thread goes to the client with the fewest running searches.

use crate::connections::ClientLimit;
use std::{
    collections::VecDeque,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::oneshot::{Receiver, Sender, channel};

const MAX_REQUESTS: ClientLimit = ClientLimit {
    per_client: 64,
    total: 128,
};

pub(crate) struct SearchQueue(Mutex<State>);

struct State {
    free: usize,
    running: Vec<IpAddr>,
    waiting: VecDeque<(IpAddr, Sender<SearchSlot>)>,
}

impl SearchQueue {
    pub(crate) fn new(threads: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            free: threads,
            running: Vec::new(),
            waiting: VecDeque::new(),
        })))
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a request for a search thread; `None` if its client or all clients together have too
    /// many.
    pub(crate) fn enqueue(self: &Arc<Self>, client: IpAddr) -> Option<Receiver<SearchSlot>> {
        let mut state = self.lock_state();
        state.waiting.retain(|(_, sender)| !sender.is_closed());
        let waiting = state.waiting.iter().map(|(client, _)| client);
        let total = || waiting.clone().chain(&state.running);
        let own = total().filter(|&&other| other == client).count();
        if own >= MAX_REQUESTS.per_client || total().count() >= MAX_REQUESTS.total {
            return None;
        }
        let (sender, receiver) = channel();
        state.waiting.push_back((client, sender));
        while state.free > 0 && !state.waiting.is_empty() {
            state.free -= 1;
            self.assign_free_thread(&mut state);
        }
        Some(receiver)
    }

    fn assign_free_thread(self: &Arc<Self>, state: &mut State) {
        let State {
            free,
            running,
            waiting,
        } = state;
        let active = |client: &IpAddr| running.iter().filter(|other| *other == client).count();
        while let Some((index, _)) =
            (waiting.iter().enumerate()).min_by_key(|(_, (client, _))| active(client))
            && let Some((client, sender)) = waiting.remove(index)
        {
            let turn = SearchSlot(Some((client, Arc::clone(self))));
            match sender.send(turn) {
                Ok(()) => return running.push(client),
                // The client is gone. The slot is emptied, as its `drop` would lock the queue
                // again.
                Err(mut turn) => turn.0 = None,
            }
        }
        *free += 1;
    }
}

/// Right to use a search thread; dropping it gives the thread to the next request.
pub(crate) struct SearchSlot(Option<(IpAddr, Arc<SearchQueue>)>);

impl Drop for SearchSlot {
    fn drop(&mut self) {
        if let Some((client, queue)) = self.0.take() {
            let mut state = queue.lock_state();
            let own = state.running.iter().position(|other| *other == client);
            if let Some(index) = own {
                state.running.swap_remove(index);
            }
            queue.assign_free_thread(&mut state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_with_the_fewest_searches_is_next_and_limits_hold_for_each_and_for_all() {
        let queue = SearchQueue::new(2);
        let [busy, per_client]: [IpAddr; 2] = [[10, 0, 0, 1].into(), [10, 0, 0, 2].into()];
        let mut requests: Vec<_> = (0..MAX_REQUESTS.per_client)
            .map(|_| queue.enqueue(busy).unwrap())
            .collect();
        assert!(queue.enqueue(busy).is_none());
        let mut other = queue.enqueue(per_client).unwrap();
        let first = requests[0].try_recv().unwrap();
        let second = requests[1].try_recv().unwrap();
        assert!(requests[2].try_recv().is_err() && other.try_recv().is_err());
        drop(requests.remove(2));
        drop(first);
        let next = other.try_recv().unwrap();
        drop(second);
        drop(requests.remove(2));
        assert!(requests[2].try_recv().is_ok());
        drop(next);
        assert!(requests[3].try_recv().is_ok());
        drop(requests);
        assert_eq!(queue.lock_state().free, 2);
        let clients = (0..).map(|number: u32| IpAddr::from(number.to_be_bytes()));
        let requested: Vec<_> = clients.map_while(|client| queue.enqueue(client)).collect();
        assert_eq!(requested.len(), MAX_REQUESTS.total);
    }
}
