//! Whose turn it is: requests wait for a search thread, and clients take turns.
//!
//! Invariant: no client has more requests here than its bound, and of those that wait the next is one
//! of the client with the fewest under way, so that many requests of one hold another up by one
//! search each thread at most.

use crate::connections::Bound;
use std::{
    collections::VecDeque,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// Requests that wait or are answered.
const REQUESTS: Bound = Bound { one: 64, all: 128 };

/// The search threads, and who waits for one.
pub(crate) struct Turns(Mutex<State>);

struct State {
    /// Threads without work.
    free: usize,
    /// The clients of those with work.
    running: Vec<IpAddr>,
    waiting: VecDeque<(IpAddr, Sender<Turn>)>,
}

impl Turns {
    pub(crate) fn new(threads: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            free: threads,
            running: Vec::new(),
            waiting: VecDeque::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn, once it comes; `None` if there are too many requests.
    pub(crate) fn take(self: &Arc<Self>, client: IpAddr) -> Option<Receiver<Turn>> {
        let mut state = self.state();
        state.waiting.retain(|(_, sender)| !sender.is_closed());
        let waiting = state.waiting.iter().map(|(client, _)| client);
        let all = || waiting.clone().chain(&state.running);
        let own = all().filter(|&&other| other == client).count();
        if own >= REQUESTS.one || all().count() >= REQUESTS.all {
            return None;
        }
        let (sender, receiver) = channel();
        state.waiting.push_back((client, sender));
        while state.free > 0 && !state.waiting.is_empty() {
            state.free -= 1;
            self.hand_over(&mut state);
        }
        Some(receiver)
    }

    /// Gives a thread that just became free to who comes next.
    fn hand_over(self: &Arc<Self>, state: &mut State) {
        let State {
            free,
            running,
            waiting,
        } = state;
        let under_way = |client: &IpAddr| running.iter().filter(|other| *other == client).count();
        // The first of equals.
        while let Some((index, _)) =
            (waiting.iter().enumerate()).min_by_key(|(_, (client, _))| under_way(client))
            && let Some((client, sender)) = waiting.remove(index)
        {
            let turn = Turn(Some((client, Arc::clone(self))));
            match sender.send(turn) {
                Ok(()) => return running.push(client),
                // Nobody waits for it any more; it is not given back, but to the next.
                Err(mut turn) => turn.0 = None,
            }
        }
        *free += 1;
    }
}

/// A search thread, until this is dropped.
pub(crate) struct Turn(Option<(IpAddr, Arc<Turns>)>);

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some((client, turns)) = self.0.take() {
            let mut state = turns.state();
            let own = state.running.iter().position(|other| *other == client);
            if let Some(index) = own {
                state.running.swap_remove(index);
            }
            turns.hand_over(&mut state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_fewest_under_way_is_next_and_bounds_are_of_each_and_of_all() {
        let turns = Turns::new(2);
        let [many, one]: [IpAddr; 2] = [[10, 0, 0, 1].into(), [10, 0, 0, 2].into()];
        let mut asked: Vec<_> = (0..REQUESTS.one)
            .map(|_| turns.take(many).unwrap())
            .collect();
        assert!(turns.take(many).is_none());
        let mut other = turns.take(one).unwrap();
        let first = asked[0].try_recv().unwrap();
        let second = asked[1].try_recv().unwrap();
        assert!(asked[2].try_recv().is_err() && other.try_recv().is_err());
        // One that gave up while it waited, and one after it had its turn.
        drop(asked.remove(2));
        drop(first);
        let others = other.try_recv().unwrap();
        drop(second);
        drop(asked.remove(2));
        assert!(asked[2].try_recv().is_ok());
        drop(others);
        assert!(asked[3].try_recv().is_ok());
        // Every thread is there again.
        drop(asked);
        assert_eq!(turns.state().free, 2);
        let clients = (0..).map(|number: u32| IpAddr::from(number.to_be_bytes()));
        let taken: Vec<_> = clients.map_while(|client| turns.take(client)).collect();
        assert_eq!(taken.len(), REQUESTS.all);
    }
}
