//! One datagram per call, as on every system.

use std::{io, net::UdpSocket};

use super::{BATCH, Batch, Calls, LocalEnd, Queue};

/// The calls of the standard library.
#[derive(Default)]
pub struct Plain;

impl Calls for Plain {
    fn receive(&mut self, socket: &UdpSocket, batch: &mut Batch) -> io::Result<()> {
        for index in 0..BATCH {
            let Some(slot) = batch.slots().nth(index) else { break };
            let (length, from) = match socket.recv_from(slot) {
                Ok(received) => received,
                // Do not lose what came before the error.
                Err(_) if batch.count > 0 => return Ok(()),
                Err(error) => return Err(error),
            };
            batch.note(from, LocalEnd::default(), (length, length));
        }
        Ok(())
    }

    fn send(&mut self, socket: &UdpSocket, queue: &Queue, first: usize) -> io::Result<usize> {
        if let Some((addresses, bytes)) = queue.get(first) {
            socket.send_to(bytes, addresses.to)?;
        }
        Ok(1)
    }
}
