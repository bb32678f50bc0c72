//! CASE tasks give way with task::yield_now, COUNT times in all, after the gate at which they wait has opened.
#[path = "../common/measure.rs"]
mod measure;

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;

static SWITCHES: AtomicU64 = AtomicU64::new(0);

async fn body(gate: Arc<Semaphore>, rounds: u64) {
    gate.acquire().await.unwrap().forget();
    let mut mine = 1;
    for _ in 0..rounds {
        tokio::task::yield_now().await;
        mine += 1;
    }
    SWITCHES.fetch_add(mine, SeqCst);
}

fn main() {
    let (name, count) = measure::arguments();
    let tasks: u64 = name.parse().unwrap_or_else(|_| measure::unknown_case(&name));
    let rounds = count as u64 / tasks;
    measure::run(async move {
        let gate = Arc::new(Semaphore::new(0));
        let handles: Vec<_> = (0..tasks).map(|_| tokio::spawn(body(gate.clone(), rounds))).collect();
        let start = Instant::now();
        gate.add_permits(tasks as usize);
        for handle in handles {
            handle.await.unwrap();
        }
        let elapsed = start.elapsed().as_nanos() as f64;
        let switches = SWITCHES.load(SeqCst);
        measure::expect(switches, tasks * (rounds + 1));
        measure::report("time", elapsed / switches as f64, "ns/switch", switches);
    });
}
