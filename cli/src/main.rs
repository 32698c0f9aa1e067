//! The command `alea`.

fn main() {}
