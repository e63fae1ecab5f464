//! Delivery of notices: alerts, and changes of values. A notice is stored together with the change that it reports. A [`Notifier`]
//! posts it or sends it by mail, at least once, and retries for a day.
//!
//! Posts follow Standard Webhooks 1.0 (standardwebhooks.com): `webhook-id` is the same for all attempts, and with a key
//! `webhook-signature` is `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`.

use std::sync::Arc;
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_fetch::{FetchError, FetchRequest, Fetcher};
use autoheal_store::{Channel, NoticeRow, Reach, Store, StoreError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use ring::hmac;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::mail::Mailer;

/// Time limit for the response of a receiver.
const PATIENCE: Duration = Duration::from_secs(15);

/// Maximum number of notices that are delivered at a time.
const AT_ONCE: usize = 16;

/// Time that a claim on a notice holds: no other notifier delivers it in that time.
const CLAIM: Duration = Duration::from_mins(2);

/// Waits after failed attempts, in order. A delivery is given up when the attempt after the last wait fails.
const WAITS: [Duration; 7] = [
    Duration::from_secs(10),
    Duration::from_mins(1),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(6),
    Duration::from_hours(16),
];

/// Delivers due notices.
pub struct Notifier {
    store: Store,
    fetcher: Arc<Fetcher>,
    alerts_to: Option<Url>,
    key: Option<SecretString>,
    mailer: Option<Mailer>,
}

impl Notifier {
    /// Creates a notifier that posts alerts to the address `alerts_to`, if there is one, and signs with `key`, if there is one.
    pub const fn new(store: Store, fetcher: Arc<Fetcher>, alerts_to: Option<Url>, key: Option<SecretString>) -> Self {
        Self { store, fetcher, alerts_to, key, mailer: None }
    }

    /// Returns the notifier with a mailer for alerts.
    #[must_use]
    pub fn with_mailer(self, mailer: Option<Mailer>) -> Self {
        Self { mailer, ..self }
    }

    /// Delivers the notices that are due, alerts first and at most [`AT_ONCE`]; returns the number delivered. Notices that become due
    /// in the meantime wait for the next call, so that an unresponsive receiver does not block the caller. `clock` returns the time.
    ///
    /// # Errors
    ///
    /// Returns the error of the database. A failed delivery is not an error: it is retried.
    pub async fn deliver_due(&self, clock: impl Fn() -> Timestamp) -> Result<usize, StoreError> {
        let store = &self.store;
        let now = clock();
        store.forget_old_notices(now).await?;
        let reach = Reach { post: self.alerts_to.is_some(), mail: self.mailer.is_some() };
        let mut due = Vec::new();
        while due.len() < AT_ONCE {
            let Some(notice) = store.claim_notice(now, now.plus(CLAIM), reach).await? else { break };
            due.push(notice);
        }
        let posted = join_all(due.iter().map(|notice| self.deliver(notice, now))).await;
        let mut delivered = 0;
        for (notice, outcome) in due.iter().zip(posted) {
            match outcome {
                Ok(()) => {
                    store.delivered(notice, clock()).await?;
                    delivered += 1;
                }
                Err(reason) => {
                    let wait = usize::try_from(notice.tries - 1).ok().and_then(|tries| WAITS.get(tries));
                    store.not_delivered(notice.notice, wait.map(|wait| clock().plus(*wait)), &reason).await?;
                }
            }
        }
        Ok(delivered)
    }

    async fn deliver(&self, notice: &NoticeRow, now: Timestamp) -> Result<(), String> {
        match (notice.channel, &self.mailer) {
            (Channel::Post, _) => self.post(notice, now).await,
            (Channel::Mail, Some(mailer)) => mailer.send(notice).await,
            (Channel::Mail, None) => Err("no mail server is set".to_owned()),
        }
    }

    async fn post(&self, notice: &NoticeRow, now: Timestamp) -> Result<(), String> {
        let address = match (&notice.address, &self.alerts_to) {
            (Some(address), _) => Url::parse(address).map_err(|error| error.to_string())?,
            (None, Some(address)) => address.clone(),
            (None, None) => return Err("no address for alerts is set".to_owned()),
        };
        let body = notice.body.to_string();
        let (id, seconds) = (format!("notice_{}", notice.notice), now.as_millis().div_euclid(1000).to_string());
        let mut request = FetchRequest::new(address)
            .within(PATIENCE)
            .header("content-type", "application/json")
            .header("webhook-id", &id)
            .header("webhook-timestamp", &seconds);
        if let Some(key) = &self.key {
            request = request.header("webhook-signature", &signature(key, &id, &seconds, &body));
        }
        let host = request.url.host_str().unwrap_or_default().to_owned();
        match self.fetcher.post(&request, body.into_bytes()).await {
            Ok(200..=299) => Ok(()),
            Ok(status) => Err(format!("{host} answers {status}")),
            Err(error) => Err(format!("{host}: {}", without_address(&error))),
        }
    }
}

/// Describes an error without the address: its path is often the secret.
const fn without_address(error: &FetchError) -> &'static str {
    match error {
        FetchError::TimedOut { .. } => "no answer in time",
        FetchError::UnknownName { .. } => "the host does not exist",
        FetchError::Refused { .. } => "the connection was refused",
        FetchError::AddressForbidden { .. } => {
            "the address is inside a private network; to allow it, add it to `fetch.allow_private`"
        }
        FetchError::Tls { .. } => "the secure connection failed",
        FetchError::Offline => "nothing is posted while `fetch.snapshots` replaces the network",
        _ => "the host cannot be reached",
    }
}

/// Returns the value of the header `webhook-signature`. `key` is the secret itself, or Base64 after `whsec_`.
fn signature(key: &SecretString, id: &str, seconds: &str, body: &str) -> String {
    let text = key.expose_secret();
    let decoded = text.strip_prefix("whsec_").and_then(|encoded| STANDARD.decode(encoded).ok());
    let key = hmac::Key::new(hmac::HMAC_SHA256, decoded.as_deref().unwrap_or(text.as_bytes()));
    let tag = hmac::sign(&key, format!("{id}.{seconds}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(tag.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_the_standard() {
        // The example of the standard's reference implementations.
        let key = SecretString::from("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let signed = signature(&key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "{\"test\": 2432232314}");
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
