//! k-anonymity, and what the people of a group may have.

use super::{about_one, promises};

promises! {
    /// k-anonymity, and no sensitive value is that of more than the share `alpha` of a group.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, levels, models::AlphaKAnonymity};
    ///
    /// // Three of four people of the third group of Sun et al. (2008), table 5, have flu.
    /// let policy = Policy::builder().group("class").sensitive("s").require(AlphaKAnonymity::new(0.75, 4)?).build()?;
    /// let table = files::csv("class,s\n1,HIV\n1,HIV\n1,Cancer\n1,Cancer\n2,Hepatitis\n2,Phthisis\n2,Asthma\n2,Obesity\n3,Flu\n3,Flu\n3,Flu\n3,Indigestion\n")?;
    /// let reached = levels(&table, &policy, &Run::new())?;
    /// assert_eq!(reached.guarantees[0].achieved["alpha"], 0.75);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    AlphaKAnonymity = "alpha-k-anonymity"(alpha: f64, k: u64);

    /// k-anonymity, and every group has at least p different sensitive values.
    ///
    /// ```
    /// use moretta::{Policy, Run, files, levels, models::PSensitive};
    ///
    /// // Sun et al. (2008), table 5: 2-sensitive 4-anonymous.
    /// let policy = Policy::builder().group("class").sensitive("s").require(PSensitive::new(2, 4)?).build()?;
    /// let table = files::csv("class,s\n1,HIV\n1,HIV\n1,Cancer\n1,Cancer\n2,Hepatitis\n2,Phthisis\n2,Asthma\n2,Obesity\n3,Flu\n3,Flu\n3,Flu\n3,Indigestion\n")?;
    /// let reached = levels(&table, &policy, &Run::new())?;
    /// assert_eq!(reached.guarantees[0].achieved["p"], 2);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    PSensitive = "p-sensitive"(p: u64, k: u64);

    /// k-anonymity, and the values of every group come from at least p categories. The attribute needs categories.
    ///
    /// ```
    /// use moretta::{AttributeSpec, Policy, Run, files, levels, models::PPlusSensitive};
    ///
    /// // Sun et al. (2008), table 6: 2⁺-sensitive 4-anonymous.
    /// let diseases = AttributeSpec::new("s").categories([["HIV", "Cancer"], ["Phthisis", "Hepatitis"], ["Obesity", "Asthma"], ["Flu", "Indigestion"]]);
    /// let policy = Policy::builder().group("class").sensitive(diseases).require(PPlusSensitive::new(2, 4)?).build()?;
    /// let table = files::csv("class,s\n1,HIV\n1,Cancer\n1,Flu\n1,Indigestion\n2,Hepatitis\n2,Phthisis\n2,Asthma\n2,Obesity\n3,HIV\n3,Cancer\n3,Flu\n3,Flu\n")?;
    /// let reached = levels(&table, &policy, &Run::new())?;
    /// assert_eq!(reached.guarantees[0].achieved["p"], 2);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    PPlusSensitive = "p-plus-sensitive"(p: u64, k: u64);

    /// k-anonymity, at least p different values, and a total weight of at least `alpha` in every group. The attribute needs categories.
    ///
    /// ```
    /// use moretta::{AttributeSpec, Policy, Run, files, levels, models::PAlphaSensitive};
    ///
    /// // Sun et al. (2008), table 7: the groups weigh 1, 2 and 3.
    /// let diseases = AttributeSpec::new("s").categories([["HIV", "Cancer"], ["Phthisis", "Hepatitis"], ["Obesity", "Asthma"], ["Flu", "Indigestion"]]);
    /// let policy = Policy::builder().group("class").sensitive(diseases).require(PAlphaSensitive::new(3, 1.0, 4)?).build()?;
    /// let table = files::csv("class,s\n1,HIV\n1,HIV\n1,Cancer\n1,Flu\n2,Hepatitis\n2,Phthisis\n2,Asthma\n2,Obesity\n3,Cancer\n3,Flu\n3,Flu\n3,Indigestion\n")?;
    /// let reached = levels(&table, &policy, &Run::new())?;
    /// assert_eq!(reached.guarantees[0].achieved["weight"], 1);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    PAlphaSensitive = "p-alpha-sensitive"(p: u64, alpha: f64, k: u64);
}

about_one!(AlphaKAnonymity, PSensitive, PPlusSensitive, PAlphaSensitive);

impl AlphaKAnonymity {
    /// Only these values are kept rare.
    #[must_use]
    pub fn values(self, values: impl IntoIterator<Item: Into<String>>) -> Self {
        let values: Vec<String> = values.into_iter().map(Into::into).collect();
        Self(self.0.with("values", values))
    }
}
