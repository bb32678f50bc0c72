//! What every Rust benchmark program shares: see measure.h.
#![allow(dead_code)]

use std::future::Future;

/// CASE and COUNT.
pub fn arguments() -> (String, usize) {
    let args: Vec<String> = std::env::args().collect();
    if args.len() != 3 {
        eprintln!("usage: {} CASE COUNT", args[0]);
        std::process::exit(2);
    }
    (args[1].clone(), args[2].parse().expect("COUNT is a number"))
}

pub fn unknown_case(name: &str) -> ! {
    eprintln!("unknown case '{name}'");
    std::process::exit(2);
}

/// Resident bytes of this process, pages shared with files included.
pub fn resident_bytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("/proc/self/statm");
    let pages: f64 = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096.0
}

pub fn expect(answer: u64, expected: u64) {
    if answer != expected {
        eprintln!("wrong answer: {answer}, expected {expected}");
        std::process::exit(1);
    }
}

pub fn report(metric: &str, value: f64, unit: &str, answer: u64) {
    println!("{{\"metric\": \"{metric}\", \"value\": {value:.6}, \"unit\": \"{unit}\", \"check\": \"{answer}\"}}");
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
