//! Messages about waits.

use std::sync::Arc;
use std::time::Duration;

/// A shorter wait is over before its message is read.
const WORTH_TELLING: Duration = Duration::from_secs(3);

tokio::task_local! {
    static TELL: Arc<dyn Fn(String) + Send + Sync>;
}

/// Does the work; `tell` gets a message before each wait of some seconds that fetching needs in it: for the turn at a host, or before
/// another try. Work that is spawned elsewhere is silent.
pub async fn telling<T>(tell: impl Fn(String) + Send + Sync + 'static, work: impl Future<Output = T>) -> T {
    TELL.scope(Arc::new(tell), work).await
}

/// Waits; the message has the reason and the time.
pub(crate) async fn sleep(wait: Duration, why: impl FnOnce() -> String) {
    if wait >= WORTH_TELLING {
        // An error says that there is no listener.
        let _ = TELL.try_with(|tell| tell(format!("{} in {} s", why(), wait.as_secs_f64().ceil())));
    }
    tokio::time::sleep(wait).await;
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_a_long_wait_has_a_message() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let began = tokio::time::Instant::now();
        let listener = Arc::clone(&told);
        let work = async {
            sleep(Duration::from_millis(2_900), || "short; next try".to_owned()).await;
            sleep(Duration::from_millis(24_100), || "busy; next try".to_owned()).await;
        };
        telling(move |message| listener.lock().unwrap().push(message), work).await;
        sleep(Duration::from_secs(9), || unreachable!("a message without a listener")).await;
        assert_eq!(began.elapsed(), Duration::from_secs(36));
        assert_eq!(*told.lock().unwrap(), ["busy; next try in 25 s"]);
    }
}
