//! What every benchmark program on tokio shares: report.rs, and the start of the runtime.
#![allow(dead_code)]

#[path = "report.rs"]
mod report;
#[allow(unused_imports)]
pub use report::*;
use std::future::Future;

/// Resident bytes of this process, pages shared with files included.
pub fn resident_bytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("/proc/self/statm");
    let pages: f64 = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096.0
}

/// Runs `main` as a task of the runtime that BENCH_TOKIO names: `current_thread` or `multi_thread`.
pub fn run<F: Future<Output = ()> + Send + 'static>(main: F) {
    run_on(main, |builder| builder);
}

/// The same with sockets and timers.
pub fn run_with_io<F: Future<Output = ()> + Send + 'static>(main: F) {
    run_on(main, |builder| builder.enable_all());
}

fn run_on<F>(main: F, enable: fn(&mut tokio::runtime::Builder) -> &mut tokio::runtime::Builder)
where
    F: Future<Output = ()> + Send + 'static,
{
    let flavor = std::env::var("BENCH_TOKIO").unwrap_or_else(|_| "current_thread".into());
    let mut builder = match flavor.as_str() {
        "current_thread" => tokio::runtime::Builder::new_current_thread(),
        "multi_thread" => tokio::runtime::Builder::new_multi_thread(),
        other => {
            eprintln!("BENCH_TOKIO is '{other}', must be current_thread or multi_thread");
            std::process::exit(2);
        }
    };
    let runtime = enable(&mut builder).build().expect("a tokio runtime");
    // As a spawned task on both: block_on's own future would run outside the workers.
    runtime.block_on(async { tokio::spawn(main).await.expect("the benchmark ends") });
}
