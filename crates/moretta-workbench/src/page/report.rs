//! The report of a release as the library writes it. Its style stands within the page, so the page is served under a policy that allows exactly
//! these styles, by their hashes, and no script at all.

use std::fs;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use moretta::Error;
use sha2::{Digest, Sha256};

use super::Answer;
use crate::bench::Bench;

pub(crate) async fn show(State(bench): State<Arc<Bench>>, Path(name): Path<String>) -> Answer {
    let file = bench.workspace.release(&name)?.join("private/report.html");
    let text = fs::read_to_string(&file).map_err(|e| Error::machine("read the report", &file, e))?;
    let policy = format!(
        "default-src 'none'; style-src {}; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
        hashes(&text)
    );
    let mut response = ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(response)
}

/// Each style element of a page as a source of its policy.
fn hashes(page: &str) -> String {
    let styles = page.split("<style>").skip(1).filter_map(|rest| rest.split("</style>").next());
    let mut hashes: Vec<String> =
        styles.map(|style| format!("'sha256-{}'", base64(&Sha256::digest(style.as_bytes())))).collect();
    hashes.sort();
    hashes.dedup();
    if hashes.is_empty() { "'none'".to_owned() } else { hashes.join(" ") }
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(sign) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
