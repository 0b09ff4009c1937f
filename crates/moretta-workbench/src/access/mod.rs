//! Who may ask: the secret of the printed address, a password where others reach the server, and headers by which a page of another site is
//! told from ours.

mod guard;
mod password;
mod session;

pub(crate) use guard::{guard, refuse_strangers};
pub use password::Password;
pub(crate) use session::{Session, same};

/// What decides about requests.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) session: Session,
    pub(crate) password: Option<Password>,
    /// The port that browsers must name, where only this machine is served.
    pub(crate) port: u16,
    pub(crate) is_local: bool,
    pub(crate) names: Vec<String>,
}
