//! Only GET and SET: a task for each connection, and a map with a lock. Replies are sent when no command waits.
#[path = "../common/measure.rs"]
mod measure;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

type Values = Arc<Mutex<HashMap<Vec<u8>, Vec<u8>>>>;

/// The number in a line such as "$64", and what stands behind the line; nothing if the line is not whole.
fn number(text: &[u8], kind: u8) -> Option<(usize, &[u8])> {
    let end = text.iter().position(|&c| c == b'\n')?;
    if text[0] != kind || end < 3 {
        return None;
    }
    let digits = &text[1..end - 1];
    Some((digits.iter().fold(0, |n, &d| n * 10 + usize::from(d - b'0')), &text[end + 1..]))
}

/// The words of the first command, in `words`, and what stands behind it; nothing if it is not whole.
fn command<'a>(text: &'a [u8], words: &mut Vec<&'a [u8]>) -> Option<&'a [u8]> {
    let (count, mut rest) = number(text, b'*')?;
    words.clear();
    for _ in 0..count {
        let (size, behind) = number(rest, b'$')?;
        words.push(behind.get(..size)?);
        rest = behind.get(size + 2..)?;
    }
    Some(rest)
}

fn execute(words: &[&[u8]], values: &Values, out: &mut Vec<u8>) {
    match words {
        [b"SET", key, value] => {
            values.lock().unwrap().insert(key.to_vec(), value.to_vec());
            out.extend_from_slice(b"+OK\r\n");
        }
        [b"GET", key] => match values.lock().unwrap().get(*key) {
            Some(value) => {
                out.extend_from_slice(format!("${}\r\n", value.len()).as_bytes());
                out.extend_from_slice(value);
                out.extend_from_slice(b"\r\n");
            }
            None => out.extend_from_slice(b"$-1\r\n"),
        },
        _ => out.extend_from_slice(b"-ERR unknown command\r\n"),
    }
}

async fn serve(mut connection: TcpStream, values: Values) {
    let mut read = Vec::with_capacity(16384);
    let mut out = Vec::with_capacity(16384);
    while let Ok(1..) = connection.read_buf(&mut read).await {
        let mut words = Vec::with_capacity(4);
        let mut rest = &read[..];
        while let Some(behind) = command(rest, &mut words) {
            execute(&words, &values, &mut out);
            rest = behind;
        }
        let taken = read.len() - rest.len();
        read.drain(..taken);
        if connection.write_all(&out).await.is_err() {
            return;
        }
        out.clear();
    }
}

fn main() {
    measure::run_with_io(async {
        let values = Values::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listen");
        println!("port {}", listener.local_addr().unwrap().port());
        loop {
            let (connection, _) = listener.accept().await.expect("accept");
            connection.set_nodelay(true).unwrap();
            tokio::spawn(serve(connection, values.clone()));
        }
    });
}
