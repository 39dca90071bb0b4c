//! The node's certificate for QUIC: from files, or self-signed and pinned by its hash.
//!
//! Browsers accept a pinned certificate only if it is ECDSA and valid for at most 14 days, so the node makes a new one long
//! before the old one expires. Open connections stay.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::Context;
use rustls::{pki_types::PrivateKeyDer, sign::CertifiedKey};
use wtransport::{
    Identity,
    tls::{CertificateChain, PrivateKey, Sha256DigestFmt},
};

use crate::startup_error::StartupError;

/// How long a self-signed certificate is valid. Browsers allow 14 days; clocks differ by hours.
const VALID_DAYS: u32 = 12;
/// How often a new one is made: a page that has read the old hash has days to connect.
pub(super) const RENEW_EVERY: Duration = Duration::from_secs(4 * 24 * 60 * 60);

/// Where the certificate comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
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

impl Source {
    /// Reads or makes a certificate. An error names the file and what is wrong with it.
    pub async fn identity(&self) -> anyhow::Result<Identity> {
        match self {
            Source::SelfSigned => self_signed(),
            Source::Files { certificate, key } => from_files(certificate, key).await,
        }
    }

    /// Whether a page has to pin it by its hash.
    pub fn is_pinned(&self) -> bool {
        matches!(self, Source::SelfSigned)
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
    check_key(&chain, &secret)
        .with_context(|| {
            format!("cannot use the certificate {} with the private key {}", certificate.display(), key.display())
        })
        .map_err(StartupError::wrap("certificate"))?;
    Ok(Identity::new(chain, secret))
}

/// Whether a key belongs to a certificate. Serving with another key would panic.
fn check_key(chain: &CertificateChain, key: &PrivateKey) -> Result<(), rustls::Error> {
    let chain = chain.as_slice().iter().map(|certificate| certificate.der().to_vec().into()).collect();
    let key = PrivateKeyDer::try_from(key.secret_der().to_vec()).map_err(|why| rustls::Error::General(why.into()))?;
    CertifiedKey::from_der(chain, key, &rustls::crypto::ring::default_provider()).map(|_| ())
}

/// The hash that pages pin. It is kept up to date.
#[derive(Clone, Debug, Default)]
pub struct Pin(Arc<Mutex<Option<String>>>);

impl Pin {
    /// SHA-256 of the certificate, in hexadecimal; none if pages need not pin it.
    pub fn hash(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, source: &Source, identity: &Identity) {
        let hash = identity.certificate_chain().as_slice().first().map(|certificate| {
            let dotted = certificate.hash().fmt(Sha256DigestFmt::DottedHex);
            dotted.replace(':', "")
        });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = hash.filter(|_| source.is_pinned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_self_signed_certificate_has_a_hash_to_pin() {
        let identity = Source::SelfSigned.identity().await.expect("one can be made");
        let pin = Pin::default();
        pin.set(&Source::SelfSigned, &identity);
        let hash = pin.hash().expect("it is pinned");
        assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    }

    #[tokio::test]
    async fn a_missing_file_is_named() {
        let source = Source::Files { certificate: "no/such.pem".into(), key: "no/such.key".into() };
        let error = source.identity().await.expect_err("there is no such file");
        assert!(format!("{error:#}").contains("no/such.pem"), "{error:#}");
    }
}
