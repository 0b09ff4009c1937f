//! The privacy models, to be required of a release: [`PolicyBuilder::require`](crate::PolicyBuilder::require).
//!
//! A constructor refuses parameters that are out of range. What a model protects, and what it does not, its page says:
//! [`explain`](crate::explain).

mod closeness;
mod diversity;
mod presence;
mod sensitivity;
mod sizes;

pub use closeness::{BTPrivacy, DeltaDisclosure, Distance, NTCloseness, TCloseness};
pub use diversity::{
    DistinctLDiversity, EntropyLDiversity, LDiverseSlicing, MatchingLDiversity, ProbabilisticLDiversity,
    RecursiveLDiversity,
};
pub use presence::{AlphaBetaPrivacy, PPrivate};
pub use sensitivity::{AlphaKAnonymity, PAlphaSensitive, PPlusSensitive, PSensitive};
pub use sizes::{BucketSize, CondensedK, KAnonymity, UncertainKAnonymity};

/// Types for models whose parameters are plain numbers.
macro_rules! promises {
    ($($(#[$doc:meta])* $model:ident = $name:literal ($($parameter:ident: $kind:ty),*);)+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq)]
            pub struct $model(crate::api::Promise);

            impl $model {
                /// With these parameters, which are refused where they are out of range.
                pub fn new($($parameter: $kind),*) -> crate::error::Result<Self> {
                    let promise = crate::api::Promise::new($name)$(.with(stringify!($parameter), $parameter))*;
                    promise.checked().map(Self)
                }
            }

            impl From<$model> for crate::api::Promise {
                fn from(model: $model) -> Self {
                    model.0
                }
            }
        )+
    };
}

/// The choice of one sensitive attribute, for models that are about each of them.
macro_rules! about_one {
    ($($model:ident),+) => {
        $(
            impl $model {
                /// The same about one sensitive attribute; without it the promise is about each.
                #[must_use]
                pub fn about(self, attribute: &str) -> Self {
                    Self(self.0.about(attribute))
                }
            }
        )+
    };
}

use {about_one, promises};
