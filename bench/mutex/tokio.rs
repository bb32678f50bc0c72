//! A mutex guards a counter. charcoal.c describes the cases.
#[path = "../common/measure.rs"]
mod measure;

use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Mutex;

async fn count_up(lock: Arc<Mutex<u64>>, times: usize, gives_way: bool) {
    for _ in 0..times {
        let mut counter = lock.lock().await;
        let was = *counter;
        if gives_way {
            tokio::task::yield_now().await;
        }
        *counter = was + 1;
    }
}

fn main() {
    let (name, count) = measure::arguments();
    let many = match name.as_str() {
        "free" => 1,
        "contended" => 8,
        "contended-2dom" => 2,
        _ => measure::unknown_case(&name),
    };
    measure::run(async move {
        let lock = Arc::new(Mutex::new(0));
        let start = Instant::now();
        let tasks: Vec<_> =
            (0..many).map(|_| tokio::spawn(count_up(lock.clone(), count / many, name == "contended"))).collect();
        for task in tasks {
            task.await.unwrap();
        }
        let elapsed = start.elapsed().as_nanos() as f64;
        let counter = *lock.lock().await;
        measure::expect(counter, count as u64);
        measure::report("time", elapsed / count as f64, "ns/lock", counter);
    });
}
