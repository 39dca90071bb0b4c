//! The node's certificate: from files, then the page is served with it too, or self-signed, for QUIC alone and pinned by its
//! hash.
//!
//! Browsers accept a pinned certificate only if it is ECDSA and valid for at most 14 days, so the node makes a new one long
//! before the old one expires. Open connections stay.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::Context;
use rustls::{
    ServerConfig,
    pki_types::PrivateKeyDer,
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use wtransport::{
    Identity,
    tls::{CertificateChain, PrivateKey, Sha256DigestFmt},
};

use crate::{startup_error::StartupError, web_address::PageScheme};

/// How long a self-signed certificate is valid. Browsers allow 14 days; clocks differ by hours.
const VALID_DAYS: u32 = 12;
/// How often a new one is made: a page that has read the old hash has days to connect.
pub(super) const RENEW_EVERY: Duration = Duration::from_secs(4 * 24 * 60 * 60);

/// Where the certificate comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateSource {
    /// The node signs one itself.
    SelfSigned,
    /// Files in PEM format, as certificate authorities issue them.
    Files {
        /// The certificate and its chain.
        certificate: PathBuf,
        /// Its private key.
        key: PathBuf,
    },
}

impl CertificateSource {
    /// Reads or makes a certificate. An error names the file and what is wrong with it.
    pub async fn identity(&self) -> anyhow::Result<Identity> {
        match self {
            CertificateSource::SelfSigned => self_signed(),
            CertificateSource::Files { certificate, key } => from_files(certificate, key).await,
        }
    }
}

fn self_signed() -> anyhow::Result<Identity> {
    let names = ["localhost", "127.0.0.1", "::1"];
    // In the past, for peers whose clock is slow.
    let yesterday = time::OffsetDateTime::now_utc() - time::Duration::DAY;
    Identity::self_signed_builder()
        .subject_alt_names(names)
        .not_before(yesterday)
        .validity_days(VALID_DAYS)
        .build()
        .map_err(|error| anyhow::anyhow!("cannot make a certificate: {error:?}"))
}

async fn from_files(certificate: &Path, key: &Path) -> anyhow::Result<Identity> {
    let chain = CertificateChain::load_pemfile(certificate)
        .await
        .with_context(|| format!("cannot read the certificate {}", certificate.display()))
        .map_err(StartupError::wrap("certificate"))?;
    let secret = PrivateKey::load_pemfile(key)
        .await
        .with_context(|| format!("cannot read the private key {}", key.display()))
        .map_err(StartupError::wrap("certificate-key"))?;
    certified_key(&chain, &secret)
        .with_context(|| {
            format!("cannot use the certificate {} with the private key {}", certificate.display(), key.display())
        })
        .map_err(StartupError::wrap("certificate"))?;
    Ok(Identity::new(chain, secret))
}

/// The key and its certificate, as TLS uses them. An error: they do not belong together, and QUIC would panic with them.
fn certified_key(chain: &CertificateChain, key: &PrivateKey) -> Result<CertifiedKey, rustls::Error> {
    let chain = chain.as_slice().iter().map(|certificate| certificate.der().to_vec().into()).collect();
    let key = PrivateKeyDer::try_from(key.secret_der().to_vec()).map_err(|why| rustls::Error::General(why.into()))?;
    CertifiedKey::from_der(chain, key, &rustls::crypto::ring::default_provider())
}

/// The certificate in use. It is kept up to date; clones share it.
#[derive(Clone, Debug, Default)]
pub struct CurrentCertificate(Arc<Mutex<Current>>);

#[derive(Debug, Default)]
struct Current {
    /// What pages pin.
    hash: Option<String>,
    /// What the page is served with.
    page_key: Option<Arc<CertifiedKey>>,
}

impl CurrentCertificate {
    /// SHA-256 of the certificate, in hexadecimal; none if pages need not pin it.
    pub fn hash(&self) -> Option<String> {
        self.lock().hash.clone()
    }

    /// How the page is served over TLS; none if the certificate is one that browsers accept for QUIC alone.
    pub fn page_tls(&self) -> anyhow::Result<Option<Arc<ServerConfig>>> {
        if self.lock().page_key.is_none() {
            return Ok(None);
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let mut config = config.with_no_client_auth().with_cert_resolver(Arc::new(self.clone()));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Some(Arc::new(config)))
    }

    /// How browsers call the page.
    pub fn page_scheme(&self) -> PageScheme {
        match &self.lock().page_key {
            Some(key) => PageScheme::Https { name: public_name(key) },
            None => PageScheme::Http,
        }
    }

    pub(super) fn set(&self, source: &CertificateSource, identity: &Identity) -> anyhow::Result<()> {
        let chain = identity.certificate_chain();
        let current = match source {
            CertificateSource::SelfSigned => Current { hash: hash(chain), page_key: None },
            CertificateSource::Files { .. } => {
                let key = certified_key(chain, identity.private_key())?;
                Current { hash: None, page_key: Some(Arc::new(key)) }
            }
        };
        *self.lock() = current;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Current> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.lock().page_key.clone()
    }
}

fn hash(chain: &CertificateChain) -> Option<String> {
    let first = chain.as_slice().first()?;
    Some(first.hash().fmt(Sha256DigestFmt::DottedHex).replace(':', ""))
}

/// The first name in a certificate under which others can call the node.
fn public_name(key: &CertifiedKey) -> Option<String> {
    let certificate = webpki::EndEntityCert::try_from(key.cert.first()?).ok()?;
    let is_public = |name: &&str| *name != "localhost" && !name.contains('*');
    certificate.valid_dns_names().find(is_public).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_self_signed_certificate_has_a_hash_to_pin() {
        let identity = CertificateSource::SelfSigned.identity().await.expect("one can be made");
        let certificate = CurrentCertificate::default();
        certificate.set(&CertificateSource::SelfSigned, &identity).expect("it can be used");
        let hash = certificate.hash().expect("it is pinned");
        assert!(certificate.page_tls().expect("no error").is_none(), "no browser would trust a page with it");
        assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    }

    #[tokio::test]
    async fn a_missing_file_is_named() {
        let source = CertificateSource::Files { certificate: "no/such.pem".into(), key: "no/such.key".into() };
        let error = source.identity().await.expect_err("there is no such file");
        assert!(format!("{error:#}").contains("no/such.pem"), "{error:#}");
    }

    #[tokio::test]
    async fn a_certificate_from_files_serves_the_page_under_its_public_name() {
        let folder = tempfile::tempdir().expect("a new folder");
        let identity = Identity::self_signed(["localhost", "*.example", "play.example"]).expect("one can be made");
        let (certificate, key) = (folder.path().join("c.pem"), folder.path().join("k.pem"));
        let pem = identity.certificate_chain().as_slice()[0].to_pem();
        std::fs::write(&certificate, pem).expect("written");
        std::fs::write(&key, identity.private_key().to_secret_pem()).expect("written");
        let source = CertificateSource::Files { certificate, key };
        let current = CurrentCertificate::default();
        current.set(&source, &source.identity().await.expect("both files are good")).expect("it can be used");
        assert_eq!(current.hash(), None, "browsers trust it by its name");
        assert!(current.page_tls().expect("no error").is_some());
        assert_eq!(current.page_scheme(), PageScheme::Https { name: Some("play.example".into()) });
    }
}
