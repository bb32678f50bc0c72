//! hyper, with the files in memory.
#[path = "../common/measure.rs"]
mod measure;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderValue, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::net::TcpSocket;

type Pages = Arc<HashMap<String, Bytes>>;

fn read_pages() -> Pages {
    let folder = std::env::args().last().expect("a folder");
    let files = std::fs::read_dir(folder).expect("the folder").map(|e| e.unwrap());
    let page = |e: std::fs::DirEntry| {
        let name = format!("/{}", e.file_name().into_string().unwrap());
        (name, Bytes::from(std::fs::read(e.path()).unwrap()))
    };
    Arc::new(files.map(page).collect())
}

async fn answer(pages: Pages, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let Some(content) = pages.get(request.uri().path()) else {
        let mut none = Response::new(Full::new(Bytes::new()));
        *none.status_mut() = StatusCode::NOT_FOUND;
        return Ok(none);
    };
    let mut found = Response::new(Full::new(content.clone()));
    found.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html"));
    Ok(found)
}

fn main() {
    measure::run_with_io(async {
        let pages = read_pages();
        let socket = TcpSocket::new_v4().expect("socket");
        socket.bind("127.0.0.1:0".parse().unwrap()).expect("bind");
        let listener = socket.listen(4096).expect("listen");
        println!("port {}", listener.local_addr().unwrap().port());
        loop {
            let (connection, _) = listener.accept().await.expect("accept");
            connection.set_nodelay(true).unwrap();
            let pages = pages.clone();
            tokio::spawn(async move {
                let service = service_fn(move |request| answer(pages.clone(), request));
                let _ = http1::Builder::new().serve_connection(TokioIo::new(connection), service).await;
            });
        }
    });
}
