//! Symmetric images of moves lead to symmetric images of positions.

use crate::reversixt::vector_game;
use crate::support::all_rules;
use engine::core::random::RandomStream;
use engine::games::{havannah::Havannah, reversi::Reversi};
use engine::play::playable::Playable;

fn numbered_moves<G: Playable>(
    game: &G,
    position: &G::Position,
    outcome: u8,
    symmetry: usize,
) -> Vec<(u32, G::Position)> {
    let mut moves = G::Moves::default();
    game.allowed_moves(position, outcome, &mut moves);
    let after = |&mv: &G::Move| {
        let (number, after) = game.transform_move(mv, symmetry).unwrap();
        (
            number,
            game.transform_position(&game.play(position, mv), after),
        )
    };
    let mut all: Vec<_> = moves.iter().map(after).collect();
    all.sort_unstable_by_key(|&(number, _)| number);
    all
}

fn check<G: Playable>(game: &G, games: usize) -> bool {
    let mut random = RandomStream::new(5);
    let mut swaps = false;
    for first in 0..games {
        let mut position = game.random_start(&mut random, first % 2);
        while game.payoffs(&position).is_none() {
            let swapped = game.swap_colours(&position);
            let (seat, other) = (game.to_move(&position), game.to_move(&swapped));
            assert_eq!(game.swap_colours(&swapped), position);
            assert_eq!(seat == other, swapped == position);
            swaps |= seat != other;
            for outcome in game.outcome_numbers() {
                let here = numbered_moves(game, &position, outcome, 0);
                assert!(here.windows(2).all(|pair| pair[0].0 < pair[1].0));
                for symmetry in 0..game.symmetries() {
                    let image = game.transform_position(&position, symmetry);
                    let image_outcome = game.transform_outcome(outcome, symmetry);
                    assert_eq!(
                        numbered_moves(game, &position, outcome, symmetry),
                        numbered_moves(game, &image, image_outcome, 0),
                        "{} {symmetry}",
                        game.format_position(&position, Some(outcome))
                    );
                }
                let there = numbered_moves(game, &swapped, outcome, 0);
                assert_eq!(here.len(), there.len());
                for ((number, next), (same, swapped_next)) in here.into_iter().zip(there) {
                    assert_eq!(number, same);
                    let mut payoffs = game.payoffs(&next);
                    if seat != other {
                        assert_eq!(game.swap_colours(&next), swapped_next);
                        payoffs.iter_mut().for_each(|payoffs| payoffs.swap(0, 1));
                    }
                    assert_eq!(game.payoffs(&swapped_next), payoffs);
                }
            }
            position = game.play(&position, game.sample_move(&position, random.next_u64()));
        }
    }
    swaps
}

#[test]
fn images_of_moves_lead_to_images_of_positions() {
    for game in all_rules() {
        assert!(check(&game, 6));
    }
    for game in Reversi::ALL {
        assert!(check(&game, 4));
    }
    for game in [Havannah::new(3, true), Havannah::new(4, false)] {
        assert!(!check(&game, 2));
    }
    assert!(!check(&vector_game("choices"), 1));
}
