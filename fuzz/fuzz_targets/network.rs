//! What a client of ReversiXT's network protocol hears, and what a server does.

use benches::network::{
    Follower, Task,
    message::{Inbox, Message, Sender},
};

/// Messages of a server, in pieces as long as the first byte says; the client plays any move. The
/// same bytes are what a client says, too.
pub(crate) fn network(bytes: &[u8]) {
    let Some((&length, bytes)) = bytes.split_first() else {
        return;
    };
    let mut follower = Follower::default();
    hear(Sender::Server, length, bytes, |message| {
        match follower.hear(message) {
            Ok(Task::Wait) => true,
            Ok(Task::Answer(_)) => {
                let mv = follower.any_move().expect("a move");
                let answer = follower.answer(mv);
                reads_back(Sender::Client, &answer);
                true
            }
            Ok(Task::End) => false,
            Err(problem) => {
                assert!(!problem.is_empty() && !problem.contains(char::is_control));
                false
            }
        }
    });
    // Whatever was accepted is a position of the map.
    if let Some((game, position)) = follower.game() {
        let text = game.format_position(position);
        assert_eq!(game.parse_position(&text).as_ref(), Ok(position), "{text}");
    }
    hear(Sender::Client, length, bytes, |_| true);
}

/// Takes all messages until one is refused or `goes_on` says no.
fn hear(sender: Sender, length: u8, bytes: &[u8], mut goes_on: impl FnMut(&Message) -> bool) {
    let mut inbox = Inbox::new(sender);
    for piece in bytes.chunks(usize::from(length).max(1)) {
        inbox.more(piece);
        loop {
            match inbox.take() {
                Ok(Some(message)) => {
                    reads_back(sender, &message);
                    if !goes_on(&message) {
                        return;
                    }
                }
                Ok(None) => break,
                Err(_) => return,
            }
        }
    }
}

fn reads_back(sender: Sender, message: &Message) {
    let mut inbox = Inbox::new(sender);
    inbox.more(&message.bytes());
    assert_eq!(inbox.take().as_ref(), Ok(&Some(message.clone())));
    assert!(inbox.is_empty());
}
