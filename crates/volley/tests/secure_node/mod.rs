//! The real node with a certificate that a test made itself, shared by the tests that need one.

#![allow(dead_code, reason = "each file of tests uses its part")]

use std::{
    io::{BufRead, BufReader},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use base64::prelude::{BASE64_STANDARD, Engine};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, pki_types::CertificateDer};
use tempfile::TempDir;
use wtransport::Identity;

use crate::node::{FreePorts, PATIENCE};

/// A node that serves its page over TLS under a name.
pub struct SecureNode {
    child: Child,
    pub name: String,
    pub port: u16,
    pub last_line: String,
    certificate: CertificateDer<'static>,
    roots: RootCertStore,
    _files: TempDir,
    _ports: FreePorts,
}

impl SecureNode {
    /// As `localhost`.
    pub fn start() -> SecureNode {
        SecureNode::start_as("localhost", Command::new(env!("CARGO_BIN_EXE_volley")), &[])
    }

    /// Under this name or address, by a command that runs `volley`.
    pub fn start_as(name: &str, mut command: Command, options: &[&str]) -> SecureNode {
        let files = tempfile::tempdir().expect("a new folder");
        let identity = Identity::self_signed([name]).expect("it can be made");
        let leaf = identity.certificate_chain().as_slice()[0].clone();
        let write = |name: &str, text: String| -> PathBuf {
            let path = files.path().join(name);
            std::fs::write(&path, text).expect("a file can be written");
            path
        };
        let certificate = write("certificate.pem", leaf.to_pem());
        let key = write("key.pem", identity.private_key().to_secret_pem());
        let trusted = CertificateDer::from(leaf.der().to_vec());
        let mut roots = RootCertStore::empty();
        roots.add(trusted.clone()).expect("a certificate");
        let ports = FreePorts::default();
        command.arg("serve").args(&ports.arguments).args(options);
        command.arg("--certificate").arg(certificate).arg("--certificate-key").arg(key);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("volley starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let is_address = |line: &String| line.trim_start().starts_with("http") && line.contains("://");
        let last_line = lines.map(|line| line.expect("text")).find(is_address).expect("an address");
        let port = last_line.trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
        let (port, last_line) = (port.expect("a port"), last_line.trim().to_owned());
        SecureNode {
            child,
            name: name.into(),
            port,
            last_line,
            certificate: trusted,
            roots,
            _files: files,
            _ports: ports,
        }
    }

    pub fn plain(&self) -> TcpStream {
        let host = if self.name == "localhost" { "127.0.0.1" } else { &self.name };
        let stream = TcpStream::connect((host, self.port)).expect("it connects");
        stream.set_read_timeout(Some(PATIENCE)).expect("so it is");
        stream
    }

    pub fn tls(&self) -> StreamOwned<ClientConnection, TcpStream> {
        let name = self.name.clone().try_into().expect("a name");
        let connection = ClientConnection::new(Arc::new(self.tls_config()), name).expect("a client");
        StreamOwned::new(connection, self.plain())
    }

    /// A client that trusts nothing but the certificate of this node.
    pub fn tls_config(&self) -> ClientConfig {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        config.expect("TLS 1.3").with_root_certificates(self.roots.clone()).with_no_client_auth()
    }

    /// The SHA-256 of its public key in base 64, by which a browser can be told to trust it.
    pub fn public_key_hash(&self) -> String {
        let certificate = webpki::EndEntityCert::try_from(&self.certificate).expect("a certificate");
        let suite = rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13().expect("it is one of TLS 1.3");
        let hash = suite.common.hash_provider.hash(&certificate.subject_public_key_info());
        BASE64_STANDARD.encode(hash.as_ref())
    }
}

impl Drop for SecureNode {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
