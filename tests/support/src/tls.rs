//! TLS before a practice tracker, with an authority that no computer knows; and a proxy that leads to it.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// A front with TLS before a server on this computer.
#[derive(Debug)]
pub struct Secure {
    port: u16,
    authority: String,
    listening: JoinHandle<()>,
}

impl Secure {
    /// Starts before the server on port `to`, as `host`.
    ///
    /// # Errors
    /// When no port can be had, or no certificate be made.
    pub async fn before(to: u16, host: &str) -> io::Result<Self> {
        let (authority, config) = certified(host).map_err(io::Error::other)?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listening = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { continue };
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    // Whoever does not believe us has gone.
                    let mut outside = acceptor.accept(stream).await?;
                    let mut inside = TcpStream::connect(("127.0.0.1", to)).await?;
                    copy_bidirectional(&mut outside, &mut inside).await
                });
            }
        });
        Ok(Self { port, authority, listening })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The authority's certificate, in PEM.
    pub fn authority(&self) -> &str {
        &self.authority
    }
}

impl Drop for Secure {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// An authority in PEM, and a server with a certificate of it for `host`.
fn certified(host: &str) -> Result<(String, ServerConfig), Box<dyn std::error::Error + Send + Sync>> {
    let authority_key = KeyPair::generate()?;
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let pem = authority.self_signed(&authority_key)?.pem();
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate()?;
    let certificate = CertificateParams::new(vec![host.to_owned()])?.signed_by(&key, &issuer)?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)?;
    Ok((pem, config))
}

/// An HTTP proxy that leads whatever is asked for to one port on this computer.
#[derive(Debug)]
pub struct Tunnel {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
    listening: JoinHandle<()>,
}

impl Tunnel {
    /// Starts one that leads to port `to`.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn to(to: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let told = Arc::clone(&asked);
        let listening = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { continue };
                tokio::spawn(lead(stream, to, Arc::clone(&told)));
            }
        });
        Ok(Self { port, asked, listening })
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The first line of every request so far.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn lead(mut outside: TcpStream, to: u16, told: Arc<Mutex<Vec<String>>>) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(outside.read_u8().await?);
    }
    let line = String::from_utf8_lossy(&head).lines().next().unwrap_or_default().to_owned();
    told.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    let mut inside = TcpStream::connect(("127.0.0.1", to)).await?;
    outside.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await?;
    copy_bidirectional(&mut outside, &mut inside).await?;
    Ok(())
}
