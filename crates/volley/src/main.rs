//! The one command line of Volley.

fn main() {}
