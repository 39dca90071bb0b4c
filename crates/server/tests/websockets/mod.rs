//! The edge's WebSockets at an address of their own.

use std::net::{Ipv4Addr, SocketAddr};

use axum::{Router, routing::any};
use server::edge::{Admission, websocket};

/// Serves them for as long as the runtime lives.
pub async fn serve(admission: Admission) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
    let address = listener.local_addr().expect("its address");
    let routes = Router::new().route("/volley", any(websocket::upgrade)).with_state(admission);
    tokio::spawn(async move {
        axum::serve(listener, routes.into_make_service_with_connect_info::<SocketAddr>()).await.expect("it serves");
    });
    address
}
