//! How many people somebody is hidden among.

use super::promises;
use crate::api::Promise;

promises! {
    /// Every person's quasi-identifiers are published alike for at least k people: a promise of generalized releases.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, levels, models::KAnonymity};
    ///
    /// // Two of the three groups of Sun et al. (2008), table 5: nobody is among fewer than four.
    /// let policy = Policy::builder().quasi("age").quasi("country").sensitive("disease").require(KAnonymity::new(4)?).build()?;
    /// let table = files::csv("age,country,disease\n<30,America,HIV\n<30,America,HIV\n<30,America,Cancer\n<30,America,Cancer\n\
    ///      >40,Asia,Hepatitis\n>40,Asia,Phthisis\n>40,Asia,Asthma\n>40,Asia,Obesity\n")?;
    /// let reached = levels(&table, &policy, &Run::new())?;
    /// assert_eq!((reached.levels.k, reached.guarantees[0].holds), (4, true));
    /// # Ok::<(), moretta::Error>(())
    /// ```
    KAnonymity = "k-anonymity"(k: u64);

    /// Every bucket holds at least k people. It says nothing about how many different values it has.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, methods::Mondrian, models::BucketSize, publish};
    ///
    /// let policy = Policy::builder().quasi("age").quasi("zip").sensitive("disease").require(BucketSize::new(3)?).method(Mondrian::new().bucketized()).build()?;
    /// let table = files::parse_csv("age,zip,disease\n22,1,flu\n24,1,gout\n26,2,flu\n28,2,cold\n41,3,gout\n43,3,cold\n", policy.schema())?;
    /// let published = publish(&policy, &table, &Run::new().seed(7))?;
    /// assert_eq!(published.report().guarantees[0].achieved["k"], 3);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    BucketSize = "bucket-size"(k: u64);

    /// Each record is drawn from the moments of at least k people: a promise of condensed releases.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, methods::Condensation, models::CondensedK, publish};
    ///
    /// let policy = Policy::builder().quasi("age").sensitive("disease").drop("zip").require(CondensedK::new(3)?).method(Condensation::new()).build()?;
    /// let table = files::parse_csv("age,zip,disease\n22,1,flu\n24,1,gout\n26,2,flu\n28,2,cold\n41,3,gout\n43,3,cold\n", policy.schema())?;
    /// let published = publish(&policy, &table, &Run::new().seed(7))?;
    /// assert_eq!(published.report().guarantees[0].achieved["k"], 3);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    CondensedK = "condensed-k"(k: u64);

    /// Of each density, k people are expected to fit it at least as well as its owner: a promise of uncertain releases.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, methods::Uncertain, models::UncertainKAnonymity, publish};
    ///
    /// let policy = Policy::builder().quasi("age").drop("zip").drop("disease").require(UncertainKAnonymity::new(2.0)?).method(Uncertain::new()).build()?;
    /// let table = files::parse_csv("age,zip,disease\n22,1,flu\n24,1,gout\n26,2,flu\n28,2,cold\n41,3,gout\n43,3,cold\n", policy.schema())?;
    /// let published = publish(&policy, &table, &Run::new().seed(7))?;
    /// assert!(published.report().guarantees[0].holds);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    UncertainKAnonymity = "uncertain-k-anonymity"(k: f64);
}

impl UncertainKAnonymity {
    /// As many as a column of the table says for each person.
    pub fn by_attribute(attribute: &str) -> Self {
        Self(Promise::new("uncertain-k-anonymity").with("k", attribute))
    }
}
