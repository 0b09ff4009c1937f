//! The server: what it listens on, and which page answers to which address.

use std::future::IntoFuture;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use futures_util::future::{Either, select};
use moretta::{CancelToken, Error, Result};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use crate::access::{Access, Session, guard, refuse_strangers};
use crate::apart::apart;
use crate::bench::Bench;
use crate::job::Jobs;
use crate::workspace::Workspace;
use crate::{Options, page};

/// The most bytes of a form that is no upload.
const LARGEST_FORM: usize = 4 << 20;

/// The most bytes of a tree that is imported.
const LARGEST_TREE: usize = 32 << 20;

/// How often it is looked whether the server is to end, and how long a cancelled job may take to clean up then.
const LOOK: Duration = Duration::from_millis(100);
const PATIENCE: u32 = 30;

/// A workbench that listens already.
#[derive(Debug)]
pub struct Opened {
    runtime: Runtime,
    listener: TcpListener,
    bench: Arc<Bench>,
    address: SocketAddr,
}

/// Opens a workspace and begins to listen. Where others can reach the address, a password is demanded.
pub fn open(options: Options) -> Result<Opened> {
    let Options { folder, listen, password, names, largest_upload } = options;
    let is_local = listen.ip().is_loopback();
    if !is_local && password.is_none() {
        return Err(Error::input(format!("others can reach {listen}, so a password is needed"))
            .help("state one by --password-file; and put TLS in front, since passwords and tables cross the network as they are"));
    }
    let workspace = Workspace::open(&folder)?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| Error::system("can't start the server", e))?;
    let listener = runtime
        .block_on(TcpListener::bind(listen))
        .map_err(|e| Error::system(&format!("can't listen on {listen}"), e))?;
    let address = listener.local_addr().map_err(|e| Error::system("can't listen", e))?;
    let access = Access { session: Session::new(address.port())?, password, port: address.port(), is_local, names };
    let bench = Arc::new(Bench::new(workspace, access, largest_upload));
    Jobs::start(&bench)?;
    Ok(Opened { runtime, listener, bench, address })
}

impl Opened {
    /// The address to open. It holds the secret that lets in, unless a password does.
    pub fn address(&self) -> String {
        match self.bench.access.password {
            Some(_) => format!("http://{}/", self.address),
            None => format!("http://{}/enter?key={}", self.address, self.bench.access.session.key()),
        }
    }

    /// Serves until the token is cancelled. A job that is under way is cancelled then, and leaves nothing half-written.
    pub fn serve(self, stop: &CancelToken) -> Result<()> {
        let Self { runtime, listener, bench, .. } = self;
        let stopped = until(stop.clone());
        let served = runtime.block_on(async {
            let serving = axum::serve(listener, router(&bench)).into_future();
            // Streams of events would hold a graceful end up for as long as pages are open.
            match select(std::pin::pin!(serving), std::pin::pin!(stopped)).await {
                Either::Left((served, _)) => served,
                Either::Right(_) => Ok(()),
            }
        });
        bench.jobs.cancel_all();
        for _ in 0..PATIENCE {
            if bench.jobs.open().is_empty() {
                break;
            }
            std::thread::sleep(LOOK);
        }
        runtime.shutdown_timeout(LOOK);
        served.map_err(|e| Error::system("the server has ended", e))
    }
}

async fn until(stop: CancelToken) {
    while !stop.is_cancelled() {
        tokio::time::sleep(LOOK).await;
    }
}

/// Every page, by its address.
fn router(bench: &Arc<Bench>) -> Router {
    let inside = Router::new()
        .route("/", get(page::open::show))
        .route("/open", post(page::open::choose))
        .route("/open/database", post(page::open::database))
        .route("/upload", post(page::open::upload).layer(DefaultBodyLimit::disable()))
        .route("/understand", get(page::understand::show))
        .route("/roles", get(page::roles::show).post(page::roles::save))
        .route("/roles/alone", post(page::roles::alone))
        .route("/hierarchies", get(page::hierarchies::show))
        .route("/hierarchies/{column}", get(page::hierarchy::show).post(page::hierarchy::save))
        .route("/hierarchies/{column}/export", get(page::hierarchy::export))
        .route("/hierarchies/{column}/import", post(page::hierarchy::import).layer(DefaultBodyLimit::max(LARGEST_TREE)))
        .route("/promise", get(page::promise::show).post(page::promise::save))
        .route("/explain/{name}", get(page::explain::show))
        .route("/compare", get(page::compare::show).post(page::compare::run))
        .route("/compare/choose", post(page::compare::choose))
        .route("/policy", get(page::policy::show).post(page::policy::save))
        .route("/publish", get(page::publish::show).post(page::publish::run))
        .route("/releases", get(page::releases::show))
        .route("/releases/{name}", get(page::release::show))
        .route("/releases/{name}/report", get(page::report::show))
        .route("/releases/{name}/release.zip", get(page::download::zip))
        .route("/releases/{name}/audit", post(page::release::audit))
        .route("/releases/{name}/query", post(page::release::ask))
        .route("/beside", get(page::beside::show))
        .route("/jobs/{id}", get(page::job::show))
        .route("/jobs/{id}/events", get(page::job::events))
        .route("/jobs/{id}/cancel", post(page::job::cancel))
        .route("/jobs/{id}/again", post(page::job::again))
        .layer(from_fn_with_state(bench.clone(), refuse_strangers));
    Router::new()
        .route("/enter", get(page::enter::show).post(page::enter::enter))
        .route("/assets/{file}", get(page::assets::serve))
        .merge(inside)
        .fallback(page::not_found)
        .layer(DefaultBodyLimit::max(LARGEST_FORM))
        .layer(from_fn(apart))
        .layer(from_fn_with_state(bench.clone(), guard))
        .with_state(bench.clone())
}
