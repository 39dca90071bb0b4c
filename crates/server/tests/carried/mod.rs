//! Players of `volley` over real WebSockets.

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Instant,
};

use axum::{Router, routing::any};
use futures_util::{SinkExt, StreamExt};
use protocol::{Channel, ClientSession, Output, Plan, Scale, volley::Client};
use server::edge::{Gate, websocket};
use tokio_tungstenite::{connect_async, tungstenite::Message};

use crate::simulated::{START, TICK, wander};

/// Serves the edge at an address of its own, for as long as the runtime lives.
pub async fn serve(gate: Gate) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
    let address = listener.local_addr().expect("its address");
    let routes = Router::new().route("/volley", any(websocket::upgrade)).with_state(gate);
    tokio::spawn(async move {
        axum::serve(listener, routes.into_make_service_with_connect_info::<SocketAddr>()).await.expect("it serves");
    });
    address
}

/// One who takes a seat, starts the game and flies about until the connection ends.
pub async fn play(address: SocketAddr, number: usize) {
    let (mut socket, _) = connect_async(format!("ws://{address}/volley")).await.expect("it opens");
    let plan = Plan { now: START, name: "Ann".into(), lobby: None, stage: "endless".into(), scale: Scale::default() };
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
