//! Alerts by mail, over SMTP to the server that the settings name.
//!
//! A password is sent over an encrypted connection only. The text of an alert comes from pages and repositories, so headers are
//! built by types that do not let it add another one.

use std::time::{Duration, SystemTime};

use autoheal_engine::with_causes;
use autoheal_store::NoticeRow;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message};
use lettre::transport::smtp::AsyncSmtpTransportBuilder;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};

/// Time limit for handing a message to the server.
const PATIENCE: Duration = Duration::from_secs(15);

/// The longest subject, in characters.
const LONGEST_SUBJECT: usize = 120;

/// Mail server, sender, recipients and login.
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// `smtp://HOST[:PORT]` or, encrypted from the first byte, `smtps://HOST[:PORT]`.
    pub server: Url,
    /// Sender, such as `autoheal <autoheal@example.com>`.
    pub from: String,
    /// Mail addresses of the recipients.
    pub to: Vec<String>,
    /// User name for the login, if the server requires one.
    pub user: Option<String>,
    /// Password for the login.
    pub password: Option<SecretString>,
}

/// Settings with which no mail can be sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The URL is not the address of a mail server.
    #[error(
        "{0} is not the address of a mail server; expected `smtp://HOST:25`, `smtp://HOST:587` or `smtps://HOST:465`"
    )]
    Server(Url),
    /// The text is not a mail address.
    #[error("{address:?} is not a mail address; expected `name@example.com` or `Name <name@example.com>`")]
    Address {
        /// Rejected text.
        address: String,
        /// Reason it is not a mail address.
        #[source]
        reason: lettre::address::AddressError,
    },
    /// There are no recipients.
    #[error("mail has no recipients; set `alerts.mail.to`")]
    NoRecipients,
    /// A user without a password, or a password without a user.
    #[error(
        "the login at the mail server needs a user and a password; set `alerts.mail.user` and AUTOHEAL_SMTP_PASSWORD"
    )]
    IncompleteLogin,
    /// No encrypted connection can be made on this machine.
    #[error("cannot make an encrypted connection to the mail server")]
    Tls(#[source] lettre::transport::smtp::Error),
}

/// Client that sends alerts by mail.
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    to: Vec<Mailbox>,
}

impl Mailer {
    /// Creates a mailer with these settings, without connecting to the server yet.
    ///
    /// # Errors
    ///
    /// [`MailError`] for invalid settings.
    pub fn new(settings: &MailSettings) -> Result<Self, MailError> {
        if settings.to.is_empty() {
            return Err(MailError::NoRecipients);
        }
        Ok(Self {
            transport: transport(settings)?.timeout(Some(PATIENCE)).build(),
            from: mailbox(&settings.from)?,
            to: settings.to.iter().map(|address| mailbox(address)).collect::<Result<_, _>>()?,
        })
    }

    /// Sends an alert to all recipients in one message, or returns the reason for the failure.
    pub(crate) async fn send(&self, notice: &NoticeRow) -> Result<(), String> {
        let message = self.message(notice).map_err(|error| error.to_string())?;
        // The error contains the response of the server, and no part of the login.
        self.transport.send(message).await.map(drop).map_err(|error| with_causes(&error))
    }

    fn message(&self, notice: &NoticeRow) -> Result<Message, lettre::error::Error> {
        const AUTOMATIC: HeaderName = HeaderName::new_from_ascii_str("Auto-Submitted");
        let of = |field: &str| notice.body[field].as_str().unwrap_or_default();
        let millis = u64::try_from(notice.created_at.as_millis()).unwrap_or(0);
        // The same for all tries, so that a receiver recognises a repetition.
        let id = format!("<notice.{}.{millis}@autoheal>", notice.notice);
        let to = self.to.iter().fold(Message::builder(), |builder, to| builder.to(to.clone()));
        to.from(self.from.clone())
            .subject(subject(of("kind"), &notice.target))
            .date(SystemTime::UNIX_EPOCH + Duration::from_millis(millis))
            .message_id(Some(id))
            .raw_header(HeaderValue::new(AUTOMATIC, "auto-generated".to_owned()))
            .header(ContentType::TEXT_PLAIN)
            .body(format!("{}\n\n{} about {}, {}\n", of("message"), of("kind"), notice.target, of("at")))
    }
}

/// Returns the subject: one line of limited length.
fn subject(kind: &str, target: &str) -> String {
    let line = format!("autoheal: {kind} {target}");
    line.chars().map(|char| if char.is_control() { ' ' } else { char }).take(LONGEST_SUBJECT).collect()
}

fn mailbox(address: &str) -> Result<Mailbox, MailError> {
    address.parse().map_err(|reason| MailError::Address { address: address.to_owned(), reason })
}

fn transport(settings: &MailSettings) -> Result<AsyncSmtpTransportBuilder, MailError> {
    let refused = || MailError::Server(settings.server.clone());
    let host = settings.server.host_str().filter(|host| !host.is_empty()).ok_or_else(refused)?;
    let is_plain_address = settings.server.username().is_empty()
        && settings.server.password().is_none()
        && settings.server.query().is_none()
        && matches!(settings.server.path(), "" | "/");
    if !is_plain_address {
        return Err(refused());
    }
    let encryption = || TlsParameters::new(host.to_owned()).map_err(MailError::Tls);
    let (tls, port) = match (settings.server.scheme(), &settings.user) {
        ("smtps", _) => (Tls::Wrapper(encryption()?), 465),
        ("smtp", Some(_)) => (Tls::Required(encryption()?), 587),
        // The connection does not leave this machine, whose certificates are rarely valid.
        ("smtp", None) if is_here(&settings.server) => (Tls::None, 25),
        ("smtp", None) => (Tls::Opportunistic(encryption()?), 25),
        _ => return Err(refused()),
    };
    let builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host)
        .port(settings.server.port().unwrap_or(port))
        .tls(tls);
    match (&settings.user, &settings.password) {
        (None, None) => Ok(builder),
        (Some(user), Some(password)) => {
            Ok(builder.credentials(Credentials::new(user.clone(), password.expose_secret().to_owned())))
        }
        (Some(_), None) | (None, Some(_)) => Err(MailError::IncompleteLogin),
    }
}

/// Returns whether a server is on this machine. (The `url` crate parses hosts of web addresses only.)
fn is_here(server: &Url) -> bool {
    match server.host_str().and_then(|host| Host::parse(host).ok()) {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests;
