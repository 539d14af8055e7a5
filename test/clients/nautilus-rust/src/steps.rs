//! Steps of the driver: each is one line of JSON, printed whether it passed or not.

use std::{future::Future, io::Write, time::Duration};

use anyhow::{Result, bail};
use tokio::time::{Instant, sleep, timeout};

const STEP: Duration = Duration::from_secs(90);
const WAIT: Duration = Duration::from_secs(30);

/// Runs a step; returns its result, or `None` where it failed.
pub async fn step<T>(
    feature: &str,
    name: &str,
    body: impl Future<Output = Result<T>>,
) -> Option<T> {
    let outcome = match timeout(STEP, body).await {
        Ok(outcome) => outcome,
        Err(_) => Err(anyhow::anyhow!("took longer than {STEP:?}")),
    };
    let words = outcome
        .as_ref()
        .err()
        .map_or_else(String::new, |error| format!("{error:#}"));
    say(&serde_json::json!({ "feature": feature, "name": name, "error": words }));
    outcome.ok()
}

/// Prints that the driver finished. Which hosts it reached cannot be observed from inside.
pub fn finish() -> ! {
    // The braces must come first on the line, so the empty list is written by hand.
    println!("{{\"outside\": []}}");
    let _ = std::io::stdout().flush();
    std::process::exit(0)
}

fn say(row: &serde_json::Value) {
    println!("{row}");
    let _ = std::io::stdout().flush();
}

/// Tries `body` until it has a value, and returns it.
pub async fn until<T, F>(what: &str, mut body: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<Option<T>>>,
{
    let end = Instant::now() + WAIT;
    loop {
        if let Some(value) = body().await? {
            return Ok(value);
        }
        if Instant::now() > end {
            bail!("timed out while waiting for: {what}");
        }
        sleep(Duration::from_millis(100)).await;
    }
}
