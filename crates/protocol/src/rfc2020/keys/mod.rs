//! A player's keys: as requests on the client's side, and as Input on the server's.

mod client;
mod server;

pub(super) use client::{ClientKeys, KeyRequest};
pub(super) use server::ServerKeys;
