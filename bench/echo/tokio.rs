//! One task for each connection, which reads and writes in a loop.
#[path = "../common/measure.rs"]
mod measure;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

async fn serve(mut connection: TcpStream) {
    let mut text = [0u8; 256];
    while let Ok(got) = connection.read(&mut text).await {
        if got == 0 || connection.write_all(&text[..got]).await.is_err() {
            return;
        }
    }
}

fn main() {
    measure::run_with_io(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listen");
        println!("port {}", listener.local_addr().unwrap().port());
        loop {
            let (connection, _) = listener.accept().await.expect("accept");
            connection.set_nodelay(true).unwrap();
            tokio::spawn(serve(connection));
        }
    });
}
