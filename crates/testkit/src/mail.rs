//! A mail server that accepts every message, speaks SMTP (RFC 5321) without encryption, and records what it receives.

#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a test fails by panicking")]

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::background::{Background, loopback};

/// A message as it came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mail {
    /// Sender in the envelope.
    pub from: String,
    /// Recipients in the envelope.
    pub to: Vec<String>,
    /// Headers and body of the message.
    pub data: String,
}

#[derive(Debug, Default)]
struct Book {
    mails: Vec<Mail>,
    heard: Vec<String>,
    refusal: Option<String>,
}

/// A running mail server; it ends when this is dropped.
#[derive(Debug)]
pub struct MailServer {
    address: SocketAddr,
    book: Arc<Mutex<Book>>,
    _background: Background,
}

impl MailServer {
    /// Starts a server on the loopback interface.
    pub async fn start() -> Self {
        let book = Arc::new(Mutex::new(Book::default()));
        let kept = Arc::clone(&book);
        let (address, background) = Background::start("mail", loopback(), |listener| serve(listener, kept)).await;
        Self { address, book, _background: background }
    }

    /// Returns the address of the server, `smtp://127.0.0.1:PORT`.
    pub fn url(&self) -> Url {
        Url::parse(&format!("smtp://{}", self.address)).expect("an address")
    }

    /// Rejects further messages with this response line; an empty one makes the server accept them again.
    pub fn refuse(&self, answer: &str) {
        lock(&self.book).refusal = Some(answer.to_owned()).filter(|answer| !answer.is_empty());
    }

    /// Returns the messages that were accepted, in order.
    pub fn mails(&self) -> Vec<Mail> {
        lock(&self.book).mails.clone()
    }

    /// Every command of every connection.
    pub fn heard(&self) -> Vec<String> {
        lock(&self.book).heard.clone()
    }
}

fn lock(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(listener: TcpListener, book: Arc<Mutex<Book>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let book = Arc::clone(&book);
        // A client that disconnects is not an error of the server.
        tokio::spawn(async move { converse(BufReader::new(stream), &book).await });
    }
}

async fn converse(mut stream: BufReader<TcpStream>, book: &Mutex<Book>) -> io::Result<()> {
    let mut mail = Mail::default();
    say(&mut stream, "220 mail.example ready").await?;
    loop {
        let Some(line) = line(&mut stream).await? else { return Ok(()) };
        lock(book).heard.push(line.clone());
        let between = |text: &str| {
            text.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(inner, _)| inner.to_owned())
        };
        let upper = line.to_ascii_uppercase();
        if upper.starts_with("EHLO") {
            say(&mut stream, "250-mail.example\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN").await?;
        } else if upper.starts_with("HELO") {
            say(&mut stream, "250 mail.example").await?;
        } else if upper.starts_with("MAIL FROM:") {
            mail = Mail { from: between(&line).unwrap_or_default(), ..Mail::default() };
            say(&mut stream, "250 go on").await?;
        } else if upper.starts_with("RCPT TO:") {
            mail.to.extend(between(&line));
            say(&mut stream, "250 go on").await?;
        } else if upper == "DATA" {
            say(&mut stream, "354 end with a dot alone").await?;
            mail.data = data(&mut stream).await?;
            let refusal = lock(book).refusal.clone();
            if refusal.is_none() {
                lock(book).mails.push(std::mem::take(&mut mail));
            }
            say(&mut stream, refusal.as_deref().unwrap_or("250 taken")).await?;
        } else if upper == "QUIT" {
            return say(&mut stream, "221 good bye").await;
        } else {
            say(&mut stream, "502 not understood").await?;
        }
    }
}

/// The lines up to a dot alone; a dot that begins a line was doubled.
async fn data(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut data = String::new();
    while let Some(line) = line(stream).await? {
        if line == "." {
            return Ok(data);
        }
        data.push_str(line.strip_prefix('.').unwrap_or(&line));
        data.push_str("\r\n");
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

async fn line(stream: &mut BufReader<TcpStream>) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = stream.read_line(&mut line).await?;
    Ok((read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned()))
}

async fn say(stream: &mut BufReader<TcpStream>, answer: &str) -> io::Result<()> {
    stream.write_all(format!("{answer}\r\n").as_bytes()).await?;
    stream.flush().await
}
