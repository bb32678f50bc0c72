//! One task for each client, which sleeps and writes in a loop.
#[path = "../common/measure.rs"]
mod measure;

use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep_until, Instant};

async fn serve(mut client: TcpStream) {
    let mut quote = *b"CHARCOAL........................";
    let mut next = Instant::now();
    for number in 0u64.. {
        quote[8..16].copy_from_slice(&number.to_le_bytes());
        quote[16..24].copy_from_slice(&number.wrapping_mul(0x9E3779B97F4A7C15).to_le_bytes());
        quote[24..32].copy_from_slice(&(number ^ 0x5555).to_le_bytes());
        if client.write_all(&quote).await.is_err() {
            return;
        }
        next += Duration::from_secs(1);
        sleep_until(next).await;
    }
}

fn main() {
    measure::run_with_io(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listen");
        println!("port {}", listener.local_addr().unwrap().port());
        loop {
            let (client, _) = listener.accept().await.expect("accept");
            client.set_nodelay(true).unwrap();
            tokio::spawn(serve(client));
        }
    });
}
