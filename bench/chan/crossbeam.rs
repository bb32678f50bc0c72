//! Measures channels between two threads. charcoal.c describes the cases.
#[path = "../common/report.rs"]
mod report;

use crossbeam_channel::bounded;
use std::thread::spawn;
use std::time::Instant;

fn pingpong(count: u64) -> u64 {
    let (there, at_there) = bounded::<u64>(0);
    let (back, at_back) = bounded::<u64>(0);
    let other = spawn(move || at_there.iter().for_each(|x| back.send(3 * x + 1).unwrap()));
    let mut sum = 0;
    for i in 0..count {
        there.send(i).unwrap();
        sum += at_back.recv().unwrap();
    }
    drop(there);
    other.join().unwrap();
    report::expect(sum, 3 * (count * (count - 1) / 2) + count);
    sum
}

fn buffered(count: u64) -> u64 {
    let (out, at) = bounded::<u64>(128);
    let other = spawn(move || (0..count).for_each(|i| out.send(i).unwrap()));
    let sum = at.iter().sum();
    other.join().unwrap();
    report::expect(sum, count * (count - 1) / 2);
    sum
}

fn main() {
    let (name, count) = report::arguments();
    let start = Instant::now();
    let answer = match name.as_str() {
        "pingpong" => pingpong(count as u64),
        "buffered" | "buffered-2dom" => buffered(count as u64),
        _ => report::unknown_case(&name),
    };
    report::report("time", start.elapsed().as_nanos() as f64 / count as f64, "ns", answer);
}
