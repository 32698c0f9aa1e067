//! Tests of regret as a whole.
