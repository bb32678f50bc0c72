//! A task CASE boxed calls deep gives way COUNT times, beside a second one that does the same.
//! Rust enters a future from the top, so each resumption passes all the calls above it.
#[path = "../common/measure.rs"]
mod measure;

use std::future::Future;
use std::pin::Pin;

fn deeper(below: u64) -> u64 {
    (below ^ 1) + 2
}

fn descend(depth: usize, count: u64) -> Pin<Box<dyn Future<Output = u64> + Send>> {
    Box::pin(async move {
        if depth > 1 {
            return deeper(descend(depth - 1, count).await);
        }
        let mut blocked = 0;
        for _ in 0..count {
            tokio::task::yield_now().await;
            blocked += 1;
        }
        blocked
    })
}

fn main() {
    let (name, count) = measure::arguments();
    let depth: usize = name.parse().unwrap_or_else(|_| measure::unknown_case(&name));
    let count = count as u64;
    measure::run(async move {
        let start = std::time::Instant::now();
        let tasks: Vec<_> = (0..2).map(|_| tokio::spawn(descend(depth, count / 2))).collect();
        let mut answer = 0;
        for task in tasks {
            answer += task.await.unwrap();
        }
        let elapsed = start.elapsed().as_nanos() as f64;
        measure::expect(answer, 2 * (1..depth).fold(count / 2, |below, _| deeper(below)));
        measure::report("time", elapsed / count as f64, "ns/block+resume", answer);
    });
}
