//! Style and scripts, which are inside the program.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Every file that pages name: name, type, content.
const FILES: [(&str, &str, &str); 6] = [
    ("style.css", "text/css; charset=utf-8", include_str!("../../assets/style.css")),
    ("job.js", "text/javascript; charset=utf-8", include_str!("../../assets/job.js")),
    ("roles.js", "text/javascript; charset=utf-8", include_str!("../../assets/roles.js")),
    ("ladder.js", "text/javascript; charset=utf-8", include_str!("../../assets/ladder.js")),
    ("frontier.js", "text/javascript; charset=utf-8", include_str!("../../assets/frontier.js")),
    ("mask.svg", "image/svg+xml", include_str!("../../assets/mask.svg")),
];

pub(crate) async fn serve(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, content)) => ([(header::CONTENT_TYPE, *kind)], *content).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
