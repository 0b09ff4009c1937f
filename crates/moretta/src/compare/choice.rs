//! Choosing a point: the best within a limit.

use super::run::{Comparison, Measured};
use crate::config::suggestion;
use crate::error::{Error, Result};
use crate::utility::frontier::rounded_for_comparison;

/// A limit on a loss, as in `p_loss=0.2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    loss: Loss,
    most: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    Privacy,
    Utility,
    QueryError,
}

const NAMES: [(&str, Loss); 3] =
    [("p_loss", Loss::Privacy), ("u_loss", Loss::Utility), ("query_error", Loss::QueryError)];

impl Loss {
    fn of(self, measured: &Measured) -> f64 {
        rounded_for_comparison(match self {
            Self::Privacy => measured.losses.privacy.worst,
            Self::Utility => measured.losses.utility.mean,
            Self::QueryError => measured.losses.query_error,
        })
    }
}

impl std::str::FromStr for Budget {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let names = NAMES.map(|(name, _)| name);
        let (name, most) =
            text.split_once('=').ok_or_else(|| Error::input("no `=`").help("write --budget p_loss=0.2"))?;
        let loss = NAMES
            .iter()
            .find(|(known, _)| *known == name.trim())
            .ok_or_else(|| Error::input(format!("there is no loss {name:?}")).help(suggestion(name, &names)))?;
        let most = most
            .trim()
            .parse()
            .ok()
            .filter(|most: &f64| *most >= 0.0)
            .ok_or_else(|| Error::input(format!("{most:?} is not a number of at least 0")))?;
        Ok(Self { loss: loss.1, most })
    }
}

impl Comparison {
    /// The best point within all budgets; without a budget, the knee.
    ///
    /// Best is the least utility loss where privacy is limited, and the least privacy loss where only utility is.
    pub fn choose(&self, budgets: &[Budget]) -> Option<usize> {
        if budgets.is_empty() {
            return self.knee;
        }
        let limits_privacy = budgets.iter().any(|budget| budget.loss == Loss::Privacy);
        let order = if limits_privacy { [Loss::Utility, Loss::Privacy] } else { [Loss::Privacy, Loss::Utility] };
        let within = |measured: &Measured| budgets.iter().all(|budget| budget.loss.of(measured) <= budget.most);
        let points = self.points.iter().enumerate();
        let allowed = points.filter_map(|(index, point)| Some((index, point.measured().filter(|m| within(m))?)));
        let best = allowed.min_by(|(_, a), (_, b)| {
            let by = |loss: Loss| loss.of(a).total_cmp(&loss.of(b));
            by(order[0]).then_with(|| by(order[1]))
        });
        best.map(|(index, _)| index)
    }
}
