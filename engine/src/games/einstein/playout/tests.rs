//! Tests of random games.
