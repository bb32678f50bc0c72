//! Starts a task that does one addition and awaits its end, COUNT times.
#[path = "../common/measure.rs"]
mod measure;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static SUM: AtomicU64 = AtomicU64::new(0);

fn main() {
    let (_, count) = measure::arguments();
    let count = count as u64;
    measure::run(async move {
        let start = std::time::Instant::now();
        for i in 0..count {
            // Load and store, not an atomic addition: nothing runs at the same time.
            tokio::spawn(async move { SUM.store(SUM.load(Relaxed) + i, Relaxed) }).await.unwrap();
        }
        let elapsed = start.elapsed().as_nanos() as f64;
        let sum = SUM.load(Relaxed);
        measure::expect(sum, count * (count - 1) / 2);
        measure::report("time", elapsed / count as f64, "ns/spawn+join", sum);
    });
}
