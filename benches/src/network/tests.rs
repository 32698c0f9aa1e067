//! Tests of the protocol, of whole games over loopback, and of clients and servers that break it.

use super::{
    connection::{Connection, Deadline},
    message::{Inbox, LONGEST_MAP, Message, Placed, Sender},
    *,
};
use engine::core::game::Game;
use engine::games::reversixt::generate::MapSettings;
use engine::play::{
    build::PlayerRecipe,
    game_loop::play_game,
    playable::{NoChance, Playable},
};
use std::{
    io::Write,
    net::{Shutdown, TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::Duration,
};

const GREEDY: &str = "star1(depth=1, eval=stones)";

/// Small maps with all that there is, for so many players.
fn game(players: usize) -> ReversiXt {
    let settings = MapSettings {
        players,
        width: 7,
        height: 6,
        overrides: 1,
        bombs: 1,
        strength: 1,
        density: 0.3,
    };
    ReversiXt::new(Arc::new(settings.generate(5).unwrap()))
}

/// Depth alone is asked for, so no clock decides how the good ones play.
const OPTIONS: ServerOptions = ServerOptions {
    milliseconds: 0,
    depth: 1,
    most: Duration::from_millis(1500),
    tolerance: Duration::from_millis(250),
    greeting: Duration::from_secs(1),
    waiting: Duration::from_secs(20),
};

const PATIENCE: Duration = Duration::from_secs(20);

type Guest<T> = Box<dyn FnOnce(TcpStream) -> T + Send>;

/// A game at a server between players of its own and guests, who take the other seats in order.
fn meet<T: Send + 'static>(
    game: &ReversiXt,
    own: &[Option<&str>],
    guests: Vec<Guest<T>>,
) -> (Report, Vec<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let player = |text| LimitedPlayer::new(game, text, 7).unwrap();
    let own = own.iter().map(|own| own.map(player)).collect();
    thread::scope(|scope| {
        // They are waiting in this order before the server looks.
        let join = |guest: Guest<T>| {
            let stream = TcpStream::connect(address).unwrap();
            scope.spawn(move || guest(stream))
        };
        let guests: Vec<_> = guests.into_iter().map(join).collect();
        let report = serve(&listener, game, own, &OPTIONS, &mut |_| {}).unwrap();
        let guests = guests.into_iter().map(|guest| guest.join().unwrap());
        (report, guests.collect())
    })
}

fn guest(player: &'static str) -> Guest<Result<Played, String>> {
    Box::new(move |stream| {
        let (group, seed, patience) = (3, 7, PATIENCE);
        let options = GuestOptions {
            group,
            seed,
            patience,
        };
        play(stream, player.into(), &options)
    })
}

/// Moves and last position of the same game without a network.
fn in_process(game: &ReversiXt, players: &[&str]) -> (Vec<String>, String) {
    let made = players
        .iter()
        .map(|text| PlayerRecipe::parse(text, game).unwrap().make());
    let mut players: Vec<_> = made.collect();
    players.iter_mut().for_each(|player| player.new_game(7));
    let mut players: Vec<_> = players
        .iter_mut()
        .map(|player| &mut **player as _)
        .collect();
    let record = play_game(game, game.start(), &mut players, &mut NoChance, None, None);
    let (mut position, mut moves) = (game.start(), Vec::new());
    for ply in &record.plies {
        let made = game.format_move(ply.mv);
        moves.push(format!("{}: {made}", position.seat() + 1));
        position = game.play(&position, ply.mv);
    }
    (moves, game.format_position(&position))
}

#[test]
fn games_over_a_network_are_those_without() {
    for players in [2, 3] {
        let game = game(players);
        let all = &["random", GREEDY, "star1(depth=1, eval=lines)"][..players];
        let expected = in_process(&game, all);
        // The first player at the server, or with the others at the other end.
        for own in [vec![], vec![Some(all[0])]] {
            let guests = all[own.len()..].iter().map(|player| guest(player));
            let (report, played) = meet(&game, &own, guests.collect());
            assert_eq!(
                (&report.moves, &report.position),
                (&expected.0, &expected.1)
            );
            for (played, standing) in played.into_iter().zip(&report.players[own.len()..]) {
                let played = played.unwrap();
                assert_eq!(standing.disqualified, None);
                assert!(standing.name.starts_with("group 3 at 127.0.0.1:"));
                assert_eq!(
                    (played.player, played.place, &played.position, played.moves),
                    (
                        standing.player,
                        standing.place,
                        &report.position,
                        report.moves.len()
                    )
                );
            }
            assert_eq!(report.players.iter().map(|one| one.place).min(), Some(1));
        }
    }
}

/// A guest that breaks the protocol, as `breaches.txt` has it: what it says first, and when it is
/// first asked. If it leaves then, the server hears the end of its part alone.
fn breaks(first: &'static str, asked: &'static str) -> Guest<Result<Played, String>> {
    let bytes = |text: &str| -> Vec<u8> { text.split(' ').flat_map(str::parse).collect() };
    Box::new(move |mut stream| {
        let mut ear = Connection::new(stream.try_clone().unwrap(), Sender::Server);
        let mut hear = || ear.hear(Deadline::after(PATIENCE));
        stream.write_all(&bytes(first)).unwrap();
        let mut follower = Follower::default();
        loop {
            match follower.hear(&hear()?)? {
                Task::Wait => {}
                Task::Answer(_) => break,
                Task::End => return Err("was not asked".to_owned()),
            }
        }
        let answer = follower.answer(follower.any_move().unwrap());
        let said = match asked {
            "twice" => answer.bytes().repeat(2),
            _ => bytes(asked),
        };
        stream.write_all(&said).unwrap();
        if asked.ends_with("leaves") {
            stream.shutdown(Shutdown::Write).unwrap();
        }
        // Until the server has hung up.
        while hear().is_ok() {}
        Err(String::new())
    })
}

#[test]
fn whoever_breaks_the_protocol_is_out_and_the_others_play_on() {
    let breaches = include_str!("breaches.txt").lines();
    let breaches = breaches.filter(|line| !line.starts_with('#'));
    let game = &game(3);
    thread::scope(|scope| {
        for breach in breaches {
            scope.spawn(move || {
                let parts: Vec<&str> = breach.split('|').map(str::trim).collect();
                let guests = vec![guest(GREEDY), breaks(parts[0], parts[1])];
                let (report, played) = meet(game, &[None, None, Some(GREEDY)], guests);
                let [first, second, third] = &report.players[..] else {
                    panic!("three players")
                };
                let said = second.disqualified.as_deref().unwrap();
                assert!(said.contains(parts[2]), "{said}: {breach}");
                assert_eq!((second.place, second.points), (3, 0));
                assert_eq!((&first.disqualified, &third.disqualified), (&None, &None));
                assert!(report.position.contains(" end 0 "), "{}", report.position);
                let played = played.into_iter().next().unwrap().unwrap();
                assert_eq!(
                    (&played.position, played.place),
                    (&report.position, first.place)
                );
            });
        }
    });
}

#[test]
fn a_game_of_which_all_are_out_ends() {
    let silent = || breaks("", "");
    let (report, _) = meet(&game(2), &[], vec![silent(), silent()]);
    assert!(report.players.iter().all(|one| one.disqualified.is_some()));
    assert!(report.moves.is_empty());
}

#[test]
fn a_server_is_not_waited_for_without_end_and_nobody_needs_to_come() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let lonely = ServerOptions {
        waiting: Duration::ZERO,
        ..OPTIONS
    };
    let problem = serve(&listener, &game(2), vec![], &lonely, &mut |_| {}).unwrap_err();
    assert_eq!(
        problem.to_string(),
        "nobody has connected as player 1 within 0 s"
    );
    let options = GuestOptions {
        group: 1,
        seed: 1,
        patience: Duration::from_millis(200),
    };
    let stream = connect("127.0.0.1", address.port(), PATIENCE).unwrap();
    let problem = play(stream, GREEDY.into(), &options).unwrap_err();
    assert_eq!(problem, "the server: no message within 200 ms");
    drop(listener);
    let refused = connect("127.0.0.1", address.port(), PATIENCE).unwrap_err();
    assert!(
        refused.starts_with("cannot connect to 127.0.0.1, port "),
        "{refused}"
    );
}

#[test]
fn servers_with_other_rules_are_recognised() {
    let usual = ReversiXt::from_notation("reversixt", None).unwrap();
    let announced = |x, y, player| {
        let special = 0;
        Message::Announcement(Placed { x, y, special }, player)
    };
    let asked = Message::Request((0, 1));
    let map = usual.map().to_string();
    let hear = |messages: &[Message]| {
        let mut follower = Follower::default();
        let mut messages = messages.iter();
        messages.find_map(|message| follower.hear(message).err())
    };
    let begin = [Message::Player(2), Message::Map(map.clone())];
    let cases = [
        (announced(0, 0, 1), "rules differ from ours: player 1 made"),
        (announced(4, 2, 2), "4,2 with 0, which is not permitted"),
        (asked.clone(), "it asks us for a move, and it is not our"),
        (Message::PhaseOver, "it ended the first phase"),
        (Message::GameOver, "it ended the game"),
        (Message::Disqualified(3), "player 3, who does not play"),
        (Message::Map(map), "a second map"),
        (Message::Player(1), "a second player number"),
        (Message::Group(1), "the server sent a group number"),
    ];
    for (message, problem) in cases {
        let said = hear(&[&begin[..], &[message]].concat()).unwrap();
        assert!(said.contains(problem), "{said}: {problem}");
    }
    let unasked = [announced(3, 2, 1), announced(4, 2, 2)];
    let said = hear(&[begin, unasked].concat()).unwrap();
    assert!(said.contains("which was not our answer"), "{said}");
    assert!(hear(&[asked]).unwrap().contains("before the map"));
    let small = "3\n0\n0 0\n1 3\n1 2 3\n".to_owned();
    let said = hear(&[Message::Player(4), Message::Map(small)]).unwrap();
    assert!(said.contains("this one is player 4"), "{said}");
    // In one line, whatever it quotes.
    let unsound = hear(&[Message::Map("2\n0\n0 0\n1 1\n\u{1b}".repeat(2))]).unwrap();
    let expected = "the server's map, line 5, column 1: '\u{fffd}2' is no cell";
    assert!(unsound.starts_with(expected), "{unsound}");
}

#[test]
fn messages_are_read_as_they_were_written_and_lies_about_lengths_refused() {
    let placed = Placed {
        x: 49,
        y: 258,
        special: 21,
    };
    let request = Message::Request((66_051, 4));
    assert_eq!(request.bytes(), [4, 0, 0, 0, 5, 0, 1, 2, 3, 4]);
    assert_eq!(
        Message::Answer(placed).bytes(),
        [5, 0, 0, 0, 5, 0, 49, 1, 2, 21]
    );
    let all = [
        (Sender::Client, Message::Group(255)),
        (Sender::Server, Message::Map("1 2\n".to_owned())),
        (Sender::Server, Message::Player(8)),
        (Sender::Server, request),
        (Sender::Client, Message::Answer(placed)),
        (Sender::Server, Message::Announcement(placed, 1)),
        (Sender::Server, Message::Disqualified(2)),
        (Sender::Server, Message::PhaseOver),
        (Sender::Server, Message::GameOver),
    ];
    for (number, (sender, message)) in all.into_iter().enumerate() {
        let bytes = message.bytes();
        assert_eq!(usize::from(bytes[0]), number + 1);
        let mut inbox = Inbox::new(sender);
        for &byte in &bytes {
            assert_eq!(inbox.take(), Ok(None));
            inbox.more(&[byte]);
        }
        assert_eq!((inbox.take(), inbox.is_empty()), (Ok(Some(message)), true));
        let refused = |sender, length: u32| {
            let mut inbox = Inbox::new(sender);
            inbox.more(&[&bytes[..1], &length.to_be_bytes()].concat());
            inbox.take().is_err()
        };
        let length = (bytes.len() - 5) as u32;
        let other = match sender {
            Sender::Client => Sender::Server,
            Sender::Server => Sender::Client,
        };
        assert!(refused(other, length) && refused(sender, u32::MAX));
        let is_map = number == 1;
        let longer = if is_map { LONGEST_MAP as u32 } else { length };
        assert!(refused(sender, longer + 1));
    }
}
