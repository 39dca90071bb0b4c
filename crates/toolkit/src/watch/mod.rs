//! `volley watch`: a game played by bots, drawn in a terminal or written as text.
//!
//! `picture.rs` draws a Frame on pixels and `cells.rs` turns pixels into what a terminal is sent; both are pure, and a
//! better drawing needs to replace only [`picture::draw`]. `terminal.rs` alone touches the terminal.

pub mod cells;
mod palette;
pub mod picture;
pub mod pixels;
mod sprite;
