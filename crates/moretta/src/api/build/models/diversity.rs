//! How many values somebody may have.

use super::{about_one, promises};

promises! {
    /// Every group has at least ℓ different sensitive values.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, levels, models::DistinctLDiversity};
    ///
    /// // The groups of Sun et al. (2008), table 5.
    /// let policy = Policy::builder().group("class").sensitive("s").require(DistinctLDiversity::new(2)?).build()?;
    /// let table = files::csv("class,s\n1,HIV\n1,HIV\n1,Cancer\n1,Cancer\n2,Hepatitis\n2,Phthisis\n2,Asthma\n2,Obesity\n3,Flu\n3,Flu\n3,Flu\n3,Indigestion\n")?;
    /// let reached = levels(&table, &policy, &Run::new())?;
    /// assert_eq!(reached.guarantees[0].achieved["l"], 2);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    DistinctLDiversity = "distinct-l-diversity"(l: u64);

    /// No sensitive value is that of more than 1/ℓ of a group.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, levels, models::ProbabilisticLDiversity};
    ///
    /// // Two of three people of the second group have a.
    /// let policy = Policy::builder().group("class").sensitive("s").require(ProbabilisticLDiversity::new(1.5)?).build()?;
    /// let table = files::csv("class,s\n1,a\n1,b\n1,c\n2,a\n2,a\n2,b\n")?;
    /// let reached = levels(&table, &policy, &Run::new())?;
    /// assert_eq!(reached.guarantees[0].achieved["l"], 1.5);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    ProbabilisticLDiversity = "probabilistic-l-diversity"(l: f64);

    /// The entropy of a group's sensitive values is at least ln ℓ.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, levels, models::EntropyLDiversity};
    ///
    /// // Four values that are equally frequent have an entropy of ln 4.
    /// let policy = Policy::builder().group("class").sensitive("s").require(EntropyLDiversity::new(4.0)?).build()?;
    /// let table = files::csv("class,s\n1,a\n1,b\n1,c\n1,d\n2,a\n2,b\n2,c\n2,d\n2,d\n2,e\n")?;
    /// let reached = levels(&table, &policy, &Run::new())?;
    /// assert_eq!(reached.guarantees[0].achieved["l"], 4);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    EntropyLDiversity = "entropy-l-diversity"(l: f64);

    /// The most frequent value of a group is less than c times as frequent as all but the ℓ − 1 most frequent ones together.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, levels, models::RecursiveLDiversity};
    ///
    /// // a is as frequent as b and c together, and 1 < 3.
    /// let policy = Policy::builder().group("class").sensitive("s").require(RecursiveLDiversity::new(3.0, 2)?).build()?;
    /// let table = files::csv("class,s\n1,a\n1,a\n1,b\n1,c\n")?;
    /// let reached = levels(&table, &policy, &Run::new())?;
    /// assert_eq!(reached.guarantees[0].achieved["c"], 1);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    RecursiveLDiversity = "recursive-l-diversity"(c: f64, l: u64);

    /// Nobody's value is believed with more than 1/ℓ: a promise of sliced releases.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, methods::Slicing, models::LDiverseSlicing, publish};
    ///
    /// // Li (2010), table 4.1, with the columns {age, sex} and {zipcode, disease}: nobody's disease is believed with more than 1/2.
    /// let policy = Policy::builder().quasi("age").quasi("sex").quasi("zipcode").sensitive("disease")
    ///     .require(LDiverseSlicing::new(2.0)?)
    ///     .method(Slicing::named([["age", "sex"], ["zipcode", "disease"]])?)
    ///     .build()?;
    /// let table = files::parse_csv("age,sex,zipcode,disease\n22,M,47906,dyspepsia\n22,F,47906,flu\n33,F,47905,flu\n52,F,47905,bronchitis\n\
    ///      54,M,47302,flu\n60,M,47302,dyspepsia\n60,M,47304,dyspepsia\n64,F,47304,gastritis\n", policy.schema())?;
    /// let published = publish(&policy, &table, &Run::new().seed(7))?;
    /// assert_eq!(published.report().guarantees[0].achieved["l"], 2);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    LDiverseSlicing = "l-diverse-slicing"(l: f64);

    /// Everybody may have at least ℓ values, whatever the negative rules exclude that hold in the table and have at least this expectation.
    ///
    /// ```
    /// use moretta::{AttributeSpec, HierarchySpec, Policy, Run, files, methods::Injector, models::MatchingLDiversity, publish};
    ///
    /// // Li (2010), table 3.1. Rules speak of generalized ages.
    /// let age = AttributeSpec::new("age").hierarchy(HierarchySpec::Balanced(2));
    /// let policy = Policy::builder().quasi(age).quasi("sex").sensitive("disease").require(MatchingLDiversity::new(2, 0.75)?).method(Injector::new()).build()?;
    /// let table = files::parse_csv("age,sex,disease\n69,M,Emphysema\n45,F,Cancer\n52,F,Flu\n43,F,Gastritis\n42,F,Flu\n47,F,Cancer\n\
    ///      50,M,Flu\n56,M,Emphysema\n52,M,Gastritis\n", policy.schema())?;
    /// let published = publish(&policy, &table, &Run::new().seed(7))?;
    /// assert_eq!(published.report().guarantees[0].achieved["l"], 2);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    MatchingLDiversity = "matching-l-diversity"(l: u64, min_expectation: f64);
}

about_one!(
    DistinctLDiversity,
    ProbabilisticLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
    LDiverseSlicing,
    MatchingLDiversity
);

impl MatchingLDiversity {
    /// With rules of up to so many conditions.
    #[must_use]
    pub fn max_items(self, items: u64) -> Self {
        Self(self.0.with("max_items", items))
    }

    /// With rules that count people near a numeric condition in part.
    #[must_use]
    pub fn fuzzy(self) -> Self {
        Self(self.0.with("fuzzy", true))
    }
}
