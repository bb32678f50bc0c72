//! COUNT tasks wait, all for one semaphore (parked) or each for its own `Notify` (ring).
#[path = "../common/measure.rs"]
mod measure;

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::Arc;
use tokio::sync::{Notify, Semaphore};

static PASSED: AtomicU64 = AtomicU64::new(0);
static WAITING: AtomicU64 = AtomicU64::new(0);

async fn all_waiting(count: usize) {
    while WAITING.load(SeqCst) < count as u64 {
        tokio::task::yield_now().await;
    }
}

/// Every task waits on the same semaphore; each permit lets one end.
async fn parked(count: usize) -> f64 {
    let before = measure::resident_bytes();
    let gate = Arc::new(Semaphore::new(0));
    for _ in 0..count {
        let gate = gate.clone();
        tokio::spawn(async move {
            WAITING.fetch_add(1, SeqCst);
            gate.acquire().await.unwrap().forget();
            PASSED.fetch_add(1, SeqCst);
        });
    }
    all_waiting(count).await;
    let bytes = measure::resident_bytes() - before;
    gate.add_permits(count);
    bytes
}

/// Every task waits on its own link and wakes the next.
async fn ring(count: usize) -> f64 {
    let before = measure::resident_bytes();
    let links: Arc<Vec<Notify>> = Arc::new((0..count).map(|_| Notify::new()).collect());
    for i in 0..count {
        let links = links.clone();
        tokio::spawn(async move {
            WAITING.fetch_add(1, SeqCst);
            links[i].notified().await;
            PASSED.fetch_add(1, SeqCst);
            if i + 1 < links.len() {
                links[i + 1].notify_one();
            }
        });
    }
    all_waiting(count).await;
    let bytes = measure::resident_bytes() - before;
    links[0].notify_one();
    bytes
}

fn main() {
    let (name, count) = measure::arguments();
    measure::run(async move {
        let bytes = match name.as_str() {
            "parked" => parked(count).await,
            "ring" => ring(count).await,
            _ => measure::unknown_case(&name),
        };
        while PASSED.load(SeqCst) < count as u64 {
            tokio::task::yield_now().await;
        }
        let passed = PASSED.load(SeqCst);
        measure::expect(passed, count as u64);
        measure::report("memory", bytes / count as f64, "bytes/activity", passed);
    });
}
