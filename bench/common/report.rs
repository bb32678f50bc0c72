//! What every Rust benchmark program shares: see measure.h.
#![allow(dead_code)]

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

pub fn expect(answer: u64, expected: u64) {
    if answer != expected {
        eprintln!("wrong answer: {answer}, expected {expected}");
        std::process::exit(1);
    }
}

pub fn report(metric: &str, value: f64, unit: &str, answer: u64) {
    println!("{{\"metric\": \"{metric}\", \"value\": {value:.6}, \"unit\": \"{unit}\", \"check\": \"{answer}\"}}");
}
