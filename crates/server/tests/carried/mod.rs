//! Players of `volley` over real WebSockets.

use std::{net::SocketAddr, time::Instant};

use futures_util::{SinkExt, StreamExt};
use protocol::{Channel, ClientSession, Output, Plan, volley::Client};
use tokio_tungstenite::{connect_async, tungstenite::Message};

use crate::simulated::{START, TICK, wander};

/// A player who takes a seat, starts the game and flies about until the connection ends.
pub async fn play(address: SocketAddr, number: usize) {
    let (mut socket, _) = connect_async(format!("ws://{address}/volley")).await.expect("it opens");
    let plan = Plan { name: "Ann".into(), ..Plan::at(START) };
    let mut client = Client::new(plan);
    let began = Instant::now();
    let mut ticks = tokio::time::interval(TICK);
    let mut buffer = Vec::new();
    loop {
        tokio::select! {
            _ = ticks.tick() => {
                let now = START + began.elapsed();
                client.advance(now);
                client.press(now, wander(now, number));
                while let Some(output) = client.poll(now, &mut buffer) {
                    let kind = u8::from(output != Output::Datagram);
                    let message = Message::Binary([&[kind], &buffer[..]].concat().into());
                    socket.feed(message).await.expect("it is sent");
                }
                socket.flush().await.expect("it is sent");
            },
            message = socket.next() => {
                let Some(Ok(Message::Binary(bytes))) = message else { return };
                let channel = if bytes[0] == 0 { Channel::Datagram } else { Channel::Stream };
                client.receive(START + began.elapsed(), channel, &bytes[1..]).expect("the node speaks well");
            },
        }
    }
}
