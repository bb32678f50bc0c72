//! Measures an awaited call of an async function, and a task for each call, a hundred at a time. In the case
//! async-yield each task gives way once.
#[path = "../common/measure.rs"]
mod measure;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const PIECE: u64 = 10_000;
static SUM: AtomicU64 = AtomicU64::new(0);
static NEVER: AtomicU64 = AtomicU64::new(0);

#[inline(never)]
async fn add(i: u64) {
    if i == NEVER.load(Relaxed) {
        tokio::task::yield_now().await;
    }
    SUM.fetch_add(i, Relaxed); // the tasks may be on several threads
}

async fn add_later(i: u64) {
    tokio::task::yield_now().await;
    add(i).await;
}

fn main() {
    let (name, count) = measure::arguments();
    let count = count as u64 / PIECE * PIECE;
    NEVER.store(count + 1, Relaxed);
    measure::run(async move {
        let mut best = f64::INFINITY;
        let mut tasks = Vec::with_capacity(100);
        for from in (0..count).step_by(PIECE as usize) {
            let start = std::time::Instant::now();
            match name.as_str() {
                "call" => {
                    for i in from..from + PIECE {
                        add(i).await;
                    }
                }
                "async" | "async-yield" => {
                    for batch in (from..from + PIECE).step_by(100) {
                        for i in batch..batch + 100 {
                            tasks.push(if name == "async" { tokio::spawn(add(i)) } else { tokio::spawn(add_later(i)) });
                        }
                        for task in tasks.drain(..) {
                            task.await.unwrap();
                        }
                    }
                }
                other => measure::unknown_case(other),
            }
            best = best.min(start.elapsed().as_nanos() as f64);
        }
        let sum = SUM.load(Relaxed);
        measure::expect(sum, count * (count - 1) / 2);
        measure::report("time", best / PIECE as f64, "ns/call", sum);
    });
}
