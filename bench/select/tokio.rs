//! One task waits for N channels by `select!`; charcoal.c describes the cases. A sender of tokio's cannot select, so
//! the producer sends to the channels in turn. A channel has room for one message at least.
#[path = "../common/measure.rs"]
mod measure;

use std::time::Instant;
use tokio::sync::mpsc::{channel, Receiver};

async fn receive(at: &mut [Receiver<u64>]) -> u64 {
    let x = match at {
        [a, b] => tokio::select! { x = a.recv() => x, x = b.recv() => x },
        [a, b, c, d] => tokio::select! { x = a.recv() => x, x = b.recv() => x, x = c.recv() => x, x = d.recv() => x },
        [a, b, c, d, e, f, g, h] => tokio::select! {
            x = a.recv() => x, x = b.recv() => x, x = c.recv() => x, x = d.recv() => x,
            x = e.recv() => x, x = f.recv() => x, x = g.recv() => x, x = h.recv() => x,
        },
        _ => None,
    };
    x.unwrap()
}

fn main() {
    let (name, count) = measure::arguments();
    let n: usize = name.trim_end_matches("-2dom").parse().unwrap_or_else(|_| measure::unknown_case(&name));
    let count = count as u64;
    measure::run(async move {
        let (out, mut at): (Vec<_>, Vec<_>) = (0..n).map(|_| channel(1)).unzip();
        let start = Instant::now();
        tokio::spawn(async move {
            for i in 0..count {
                out[i as usize % out.len()].send(i).await.unwrap();
            }
            std::future::pending::<()>().await; // a closed channel would be ready
        });
        let mut sum = 0;
        for _ in 0..count {
            sum += receive(&mut at).await;
        }
        let elapsed = start.elapsed().as_nanos() as f64;
        measure::expect(sum, count * (count - 1) / 2);
        measure::report("time", elapsed / count as f64, "ns/message", sum);
    });
}
