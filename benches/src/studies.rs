//! Studies of EinStein: positions and set-ups, published tables and the searches they used.
//!
//! Nobody needs to read them to understand the rest; the modules in reading order.

pub mod setups;

mod zero_sum;

pub mod atlas;

pub mod playouts;

pub mod suite;

pub mod strength;

pub mod search_bench;

pub mod reproduce;

pub mod regret;

pub mod results;

/// The lines of a file that people write: numbers from 1, and what stands there before a `#`; empty
/// ones are left out.
fn content_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    (1..).zip(lines).filter(|(_, content)| !content.is_empty())
}
