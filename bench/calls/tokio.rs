//! Makes the calls of paper 001's figure 10 as async functions; recursion makes each of them a boxed future.
#[path = "../common/measure.rs"]
mod measure;

use std::future::Future;
use std::pin::Pin;

fn f(d: i32, x: u32) -> Pin<Box<dyn Future<Output = u32> + Send>> {
    Box::pin(async move {
        if d > 0 {
            f(d - 1, f(d - 1, x).await).await
        } else {
            x.wrapping_mul(5).wrapping_add(3)
        }
    })
}

fn leaf_repeated(mut times: u64, x: u32) -> u32 {
    let (mut a, mut b, mut result) = (5u32, 3u32, x);
    while times != 0 {
        if times & 1 != 0 {
            result = a.wrapping_mul(result).wrapping_add(b);
        }
        b = a.wrapping_mul(b).wrapping_add(b);
        a = a.wrapping_mul(a);
        times >>= 1;
    }
    result
}

fn main() {
    let (_, depth) = measure::arguments();
    measure::run(async move {
        let mut best = f64::INFINITY;
        let mut answer = 0;
        for _ in 0..16 {
            let start = std::time::Instant::now();
            answer = f(depth as i32, 1).await;
            best = best.min(start.elapsed().as_nanos() as f64);
            measure::expect(answer as u64, leaf_repeated(1 << depth, 1) as u64);
        }
        measure::report("time", best / ((2u64 << depth) - 1) as f64, "ns/call", answer as u64);
    });
}
