//! The real node with a certificate that a test made itself: the page over TLS, WebSocket and WebTransport by its name, and
//! plain HTTP at the same port.

mod node;

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, pki_types::CertificateDer};
use tempfile::TempDir;
use tungstenite::Message;
use wtransport::{Endpoint, Identity};

use self::node::{FreePorts, PATIENCE};

/// A node that serves its page over TLS, as `localhost`.
struct SecureNode {
    child: Child,
    port: u16,
    last_line: String,
    roots: RootCertStore,
    _files: TempDir,
    _ports: FreePorts,
}

impl SecureNode {
    fn start() -> SecureNode {
        let files = tempfile::tempdir().expect("a new folder");
        let identity = Identity::self_signed(["localhost"]).expect("it can be made");
        let leaf = identity.certificate_chain().as_slice()[0].clone();
        let write = |name: &str, text: String| -> PathBuf {
            let path = files.path().join(name);
            std::fs::write(&path, text).expect("a file can be written");
            path
        };
        let certificate = write("certificate.pem", leaf.to_pem());
        let key = write("key.pem", identity.private_key().to_secret_pem());
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(leaf.der().to_vec())).expect("a certificate");
        let ports = FreePorts::default();
        let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
        command.arg("serve").args(&ports.arguments);
        command.arg("--certificate").arg(certificate).arg("--certificate-key").arg(key);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("volley starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let last_line = lines.map(|line| line.expect("text")).find(|line| line.contains("://")).expect("an address");
        let port = last_line.trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
        let (port, last_line) = (port.expect("a port"), last_line.trim().to_owned());
        SecureNode { child, port, last_line, roots, _files: files, _ports: ports }
    }

    fn plain(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it connects");
        stream.set_read_timeout(Some(PATIENCE)).expect("so it is");
        stream
    }

    fn tls(&self) -> StreamOwned<ClientConnection, TcpStream> {
        let name = "localhost".try_into().expect("a name");
        let connection = ClientConnection::new(Arc::new(self.tls_config()), name).expect("a client");
        StreamOwned::new(connection, self.plain())
    }

    /// A client that trusts nothing but the certificate of this node.
    fn tls_config(&self) -> ClientConfig {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        config.expect("TLS 1.3").with_root_certificates(self.roots.clone()).with_no_client_auth()
    }
}

impl Drop for SecureNode {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The head and the body of the answer.
fn get(mut stream: impl Read + Write, port: u16, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it is sent");
    let mut answer = Vec::new();
    // Some peers end without the goodbye of TLS; what came counts.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn the_page_is_served_over_tls_and_plain_http_leads_there() {
    let node = SecureNode::start();
    assert_eq!(node.last_line, format!("https://localhost:{}/", node.port));
    let answer = get(node.tls(), node.port, "/healthz");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok\n"), "{answer}");
    let page = get(node.tls(), node.port, "/");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<html"), "{page}");
    let answer = get(node.plain(), node.port, "/?lobby=K7QX2M");
    let goal = format!("location: https://localhost:{}/?lobby=K7QX2M\r\n", node.port);
    assert!(answer.starts_with("HTTP/1.1 307") && answer.contains(&goal), "{answer}");
    let admin = get(node.plain(), node.port, "/admin/sessions");
    assert!(admin.starts_with("HTTP/1.1 307"), "{admin}");
}

#[test]
fn players_connect_by_websocket_with_tls_and_programs_without() {
    let node = SecureNode::start();
    let (mut secure, _) =
        tungstenite::client(format!("wss://localhost:{}/volley", node.port), node.tls()).expect("a WebSocket over TLS");
    secure.send(Message::Binary(vec![9].into())).expect("it is sent");
    assert!(matches!(secure.read(), Ok(Message::Close(_)) | Err(_)), "nobody says that, so the node closes the link");
    let (mut plain, _) =
        tungstenite::client(format!("ws://localhost:{}/volley", node.port), node.plain()).expect("a WebSocket");
    plain.close(None).expect("a goodbye");
}

#[test]
fn webtransport_connects_by_the_name_in_the_certificate() {
    let node = SecureNode::start();
    let offer = get(node.tls(), node.port, "/api/transport");
    assert!(offer.contains("\"sha256\":null"), "there is nothing to pin: {offer}");
    let mut tls = node.tls_config();
    tls.alpn_protocols = vec![b"h3".to_vec()];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let config = wtransport::ClientConfig::builder().with_bind_default().with_custom_tls(tls).build();
        let endpoint = Endpoint::client(config).expect("a client");
        let url = format!("https://localhost:{}/volley", node.port);
        let connection = tokio::time::timeout(PATIENCE, endpoint.connect(url)).await.expect("in time");
        let streams = connection.expect("it is trusted").open_bi().await.expect("it goes on").await;
        assert!(streams.is_ok());
    });
}

#[test]
fn what_is_neither_tls_nor_http_harms_nobody() {
    let node = SecureNode::start();
    for nonsense in [&b"\x16\x03\x01\xff\xff garbage that is no handshake"[..], b"\x16", b"\0\0\0\0\r\n\r\n", b""] {
        let mut stream = node.plain();
        stream.write_all(nonsense).expect("it is sent");
        drop(stream);
    }
    let answer = get(node.tls(), node.port, "/healthz");
    assert!(answer.ends_with("ok\n"), "{answer}");
}
