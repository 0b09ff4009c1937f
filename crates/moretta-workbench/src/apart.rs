//! Pages read files and count people. None of that is done on the threads that serve others, and a bug in one page does not end a connection in
//! silence.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use moretta::Error;

use crate::page::Failure;

/// Lets a page take its time: whatever else this thread had to do is done by another one meanwhile.
pub(crate) async fn apart(request: Request, next: Next) -> Response {
    let mut answering = Box::pin(next.run(request));
    poll_fn(|context| {
        let polled =
            catch_unwind(AssertUnwindSafe(|| tokio::task::block_in_place(|| answering.as_mut().poll(context))));
        polled.unwrap_or_else(|_| {
            let bug = Error::bug("a bug in moretta")
                .help("started with RUST_BACKTRACE=1, the program says where it happened");
            Poll::Ready(Failure::from(bug).into_response())
        })
    })
    .await
}
