//! What every request passes: the name that the browser calls us by, where the page comes from that asks, and whether it was let in.
//!
//! Cross-site requests are told by the headers that browsers set themselves, `Sec-Fetch-Site` and `Origin`: no form needs a token, and none can be
//! forgotten. A request that changes something and has neither is refused.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use super::Access;
use crate::bench::Bench;

/// Nothing but our own files; no script or style within a page; no page of ours within another.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// What a page of another site is told.
const CROSS_SITE: &str = "This request comes from another page.\n";

/// Refuses what does not come from our own pages, and says of every answer what browsers may do with it.
pub(crate) async fn guard(State(bench): State<Arc<Bench>>, request: Request, next: Next) -> Response {
    let mut response = match bench.access.refuses(request.method(), request.headers()) {
        Some(why) => (StatusCode::FORBIDDEN, why).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        // With `no-referrer` browsers would send `Origin: null` for our own forms.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        // A page may have a stricter one of its own, such as the report.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    response
}

/// Lets in only those who have the cookie.
pub(crate) async fn refuse_strangers(State(bench): State<Arc<Bench>>, request: Request, next: Next) -> Response {
    if bench.access.session.is_known(request.headers()) {
        return next.run(request).await;
    }
    if bench.access.password.is_some() && request.method() == Method::GET {
        return Redirect::to("/enter").into_response();
    }
    (StatusCode::UNAUTHORIZED, "Open the address that the program has printed: it holds a secret that lets you in.\n")
        .into_response()
}

impl Access {
    /// Why a request is refused, if it is.
    fn refuses(&self, method: &Method, headers: &HeaderMap) -> Option<&'static str> {
        let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let Some(host) = text(header::HOST).filter(|host| self.answers_to(host)) else {
            return Some("This server does not answer to that name.\n");
        };
        if matches!(*method, Method::GET | Method::HEAD) {
            return None;
        }
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        let origin = headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or_default());
        match (site, origin) {
            (None, None) => Some(CROSS_SITE),
            (Some(site), _) if site != b"same-origin" => Some(CROSS_SITE),
            (_, Some(origin)) if !is_origin_of(origin, host) => Some(CROSS_SITE),
            _ => None,
        }
    }

    /// Whether browsers may call this server so. A name that somebody else has pointed here (DNS rebinding) is none of ours; an address is no
    /// name, so it can't be pointed anywhere.
    fn answers_to(&self, host: &str) -> bool {
        let (name, port) = split_port(host);
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        if self.is_local {
            let is_loopback = address.map_or(name == "localhost", |address| address.is_loopback());
            return port == Some(self.port) && is_loopback;
        }
        address.is_ok() || self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// A host and its port; the colons of `[::1]` are no port's.
fn split_port(host: &str) -> (&str, Option<u16>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port.parse().ok()),
        _ => (host, None),
    }
}

fn is_origin_of(origin: &str, host: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| origin.strip_prefix(scheme).is_some_and(|rest| rest.eq_ignore_ascii_case(host)))
}

#[cfg(test)]
mod tests {
    use super::super::Session;
    use super::*;

    fn access(is_local: bool) -> Access {
        let names = vec!["stewards.example".to_owned()];
        Access { session: Session::new(4000).expect("randomness"), password: None, port: 4000, is_local, names }
    }

    #[test]
    fn names_that_are_not_ours_are_refused() {
        let local = access(true);
        for host in ["127.0.0.1:4000", "localhost:4000", "[::1]:4000"] {
            assert!(local.answers_to(host), "{host}");
        }
        for host in [
            "127.0.0.1",
            "127.0.0.1:4001",
            "evil.example:4000",
            "stewards.example:4000",
            "192.168.0.7:4000",
            "localhost.evil.example:4000",
            "",
            ":4000",
        ] {
            assert!(!local.answers_to(host), "{host}");
        }
        let open = access(false);
        for host in ["192.168.0.7:4000", "stewards.example", "Stewards.example:443"] {
            assert!(open.answers_to(host), "{host}");
        }
        assert!(!open.answers_to("evil.example") && !open.answers_to("localhost:4000"));
    }

    #[test]
    fn what_changes_something_must_come_from_our_own_page() {
        let access = access(true);
        let refused = |method: Method, given: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("localhost:4000"));
            given.iter().for_each(|&(name, value)| drop(headers.insert(name, HeaderValue::from_static(value))));
            access.refuses(&method, &headers).is_some()
        };
        assert!(!refused(Method::GET, &[]));
        assert!(!refused(Method::POST, &[("origin", "http://localhost:4000")]));
        assert!(!refused(Method::POST, &[("sec-fetch-site", "same-origin"), ("origin", "http://localhost:4000")]));
        assert!(!refused(Method::POST, &[("sec-fetch-site", "same-origin")]));
        for headers in [
            &[][..],
            &[("origin", "null")],
            &[("origin", "http://localhost:4001")],
            &[("origin", "http://evil.example")],
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "same-site"), ("origin", "http://localhost:4000")],
            &[("sec-fetch-site", "none")],
            &[("sec-fetch-site", "same-origin"), ("origin", "http://evil.example")],
        ] {
            assert!(refused(Method::POST, headers), "{headers:?}");
            assert!(refused(Method::DELETE, headers), "{headers:?}");
        }
    }
}
