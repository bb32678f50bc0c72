//! Measures channels; charcoal.c describes the cases. A channel of tokio's has room for one message at least, so those
//! of pingpong have that.
#[path = "../common/measure.rs"]
mod measure;

use std::future::Future;
use std::pin::Pin;
use std::time::Instant;
use tokio::sync::mpsc::{channel, Receiver, Sender};

async fn pingpong(count: u64) -> u64 {
    let (there, mut at_there) = channel::<u64>(1);
    let (back, mut at_back) = channel::<u64>(1);
    tokio::spawn(async move {
        while let Some(x) = at_there.recv().await {
            back.send(3 * x + 1).await.unwrap();
        }
    });
    let mut sum = 0;
    for i in 0..count {
        there.send(i).await.unwrap();
        sum += at_back.recv().await.unwrap();
    }
    measure::expect(sum, 3 * (count * (count - 1) / 2) + count);
    sum
}

async fn buffered(count: u64) -> u64 {
    let (out, mut at) = channel::<u64>(128);
    tokio::spawn(async move {
        for i in 0..count {
            out.send(i).await.unwrap();
        }
    });
    let mut sum = 0;
    while let Some(x) = at.recv().await {
        sum += x;
    }
    measure::expect(sum, count * (count - 1) / 2);
    sum
}

fn sky(out: Sender<u64>, first: u64, size: u64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        if size == 1 {
            out.send(first).await.unwrap();
            return;
        }
        let (sums, mut at) = channel(1);
        for i in 0..10 {
            tokio::spawn(sky(sums.clone(), first + i * (size / 10), size / 10));
        }
        let mut sum = 0;
        for _ in 0..10 {
            sum += at.recv().await.unwrap();
        }
        out.send(sum).await.unwrap();
    })
}

async fn skynet(count: u64) -> u64 {
    if count == 0 || count != 10u64.pow(count.ilog10()) {
        eprintln!("the number of leaves has to be a power of ten");
        std::process::exit(2);
    }
    let (out, mut at) = channel(1);
    tokio::spawn(sky(out, 0, count));
    let sum = at.recv().await.unwrap();
    measure::expect(sum, count * (count - 1) / 2);
    sum
}

async fn ring(count: u64) -> u64 {
    let (first, mut at) = channel::<u64>(1);
    for _ in 0..count {
        let (out, next) = channel(1);
        tokio::spawn(async move { out.send(at.recv().await.unwrap() + 1).await.unwrap() });
        at = next;
    }
    first.send(0).await.unwrap();
    let sum = at.recv().await.unwrap();
    measure::expect(sum, count);
    sum
}

async fn filter(mut at: Receiver<u64>, out: Sender<u64>, prime: u64) {
    while let Some(x) = at.recv().await {
        if x % prime != 0 && out.send(x).await.is_err() {
            return;
        }
    }
}

async fn sieve(count: u64) -> u64 {
    let (out, mut at) = channel::<u64>(1);
    tokio::spawn(async move {
        let mut i = 2;
        while out.send(i).await.is_ok() {
            i += 1;
        }
    });
    let mut sum = 0;
    for _ in 0..count {
        let prime = at.recv().await.unwrap();
        sum += prime;
        let (out, next) = channel(1);
        tokio::spawn(filter(at, out, prime));
        at = next;
    }
    sum
}

fn main() {
    let (name, count) = measure::arguments();
    let n = count as u64;
    measure::run(async move {
        let start = Instant::now();
        let answer = match name.as_str() {
            "pingpong" => pingpong(n).await,
            "buffered" | "buffered-2dom" => buffered(n).await,
            "skynet" => skynet(n).await,
            "ring" => ring(n).await,
            "sieve" => sieve(n).await,
            _ => measure::unknown_case(&name),
        };
        measure::report("time", start.elapsed().as_nanos() as f64 / n as f64, "ns", answer);
    });
}
