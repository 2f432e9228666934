//! outtrayctl.
fn main() {}
