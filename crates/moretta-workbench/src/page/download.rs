//! `release/` as a zip, written while it is sent.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::IntoResponse;
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::mpsc;

use super::Answer;
use crate::bench::Bench;
use crate::workspace::zip;

/// How many pieces may wait for the network.
const WAITING: usize = 4;

pub(crate) async fn zip(State(bench): State<Arc<Bench>>, Path(name): Path<String>) -> Answer {
    let folder = bench.workspace.release(&name)?.join("release");
    let (pieces, mut coming) = mpsc::channel::<std::io::Result<Bytes>>(WAITING);
    tokio::task::spawn_blocking(move || {
        let sink = pieces.clone();
        let mut out = zip::Pieces::new(move |piece| sink.blocking_send(Ok(piece)).is_ok());
        // An archive that breaks off is told as such: the connection ends before its end.
        if let Err(error) = zip::write(&folder, "release", &mut out) {
            let _ = pieces.blocking_send(Err(error));
        }
    });
    let body = Body::from_stream(stream::poll_fn(move |context| coming.poll_recv(context)));
    let disposition = format!("attachment; filename=\"release.zip\"; filename*=UTF-8''{}.zip", encoded(&name));
    Ok(([(header::CONTENT_TYPE, "application/zip".to_owned()), (header::CONTENT_DISPOSITION, disposition)], body)
        .into_response())
}

fn encoded(name: &str) -> String {
    name.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}
