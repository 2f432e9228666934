//! outtray
fn main() {}
