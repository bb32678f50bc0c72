//! Two threads select over N channels each; charcoal.c describes the cases. A selection is built for each message, as
//! `select!` does.
#[path = "../common/report.rs"]
mod report;

use crossbeam_channel::{bounded, Receiver, Select, SelectedOperation, Sender};
use std::thread::{spawn, yield_now};
use std::time::Instant;

fn choose<'a>(select: &mut Select<'a>, with_else: bool) -> SelectedOperation<'a> {
    if !with_else {
        return select.select();
    }
    loop {
        match select.try_select() {
            Ok(operation) => return operation,
            Err(_) => yield_now(),
        }
    }
}

fn send(out: &[Sender<u64>], x: u64, with_else: bool) {
    let mut select = Select::new();
    out.iter().for_each(|c| {
        select.send(c);
    });
    let operation = choose(&mut select, with_else);
    let i = operation.index();
    operation.send(&out[i], x).unwrap();
}

fn receive(at: &[Receiver<u64>], with_else: bool) -> u64 {
    let mut select = Select::new();
    at.iter().for_each(|c| {
        select.recv(c);
    });
    let operation = choose(&mut select, with_else);
    let i = operation.index();
    operation.recv(&at[i]).unwrap()
}

fn main() {
    let (name, count) = report::arguments();
    let (number, kind) = name.split_once('-').unwrap_or((&name, ""));
    let n: usize = number.parse().unwrap_or_else(|_| report::unknown_case(&name));
    let (count, with_else) = (count as u64, kind == "else");
    let (out, at): (Vec<_>, Vec<_>) = (0..n).map(|_| bounded(if with_else { 128 } else { 0 })).unzip();
    let start = Instant::now();
    let other = spawn(move || {
        (0..count).for_each(|i| send(&out, i, with_else));
        out // a closed channel would be ready
    });
    let sum = (0..count).map(|_| receive(&at, with_else)).sum();
    let elapsed = start.elapsed().as_nanos() as f64;
    other.join().unwrap();
    report::expect(sum, count * (count - 1) / 2);
    report::report("time", elapsed / count as f64, "ns/message", sum);
}
