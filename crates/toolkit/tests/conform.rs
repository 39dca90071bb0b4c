//! Every case of `volley conform` against our own node and client sessions, in memory under virtual time, as they are and
//! with bugs switched on: the proof that each case can fail. The table in docs/conformance.md is made here.

#[path = "conform/bugs/mod.rs"]
mod bugs;
#[path = "conform/matrix.rs"]
mod matrix;
#[path = "conform/memory.rs"]
mod memory;
