//! The words that names of columns are made of: all that is known about them, as tables.
//!
//! Words are English and in the singular, with commas between them; a plural is recognized by its `s`.

use crate::data::role::Role;

/// A subject that column names speak of, and what it means for privacy.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Topic {
    /// The role of a column about it.
    pub(super) role: Role,
    /// Why, in words that can stand after the word found.
    pub(super) about: &'static str,
    /// The words that tell of it, between commas; two without one belong together.
    pub(super) words: &'static str,
}

/// What names may speak of.
pub(super) const TOPICS: &[Topic] = &[
    Topic {
        role: Role::Identifier,
        about: "it belongs to one person only",
        words: "ssn, social security, sin, nino, nhs, mrn, medical record, national id, tax id, passport, driver \
                license, driver licence, license plate, licence plate, plate, vin, iban, account, bank account, \
                credit card, card number, email, e mail, mail, phone, telephone, tel, mobile, cell phone, fax, \
                url, website, ip, mac address, device id, imei, uuid, guid, login, username, user name, userid, \
                patientid, personid, customerid, employeeid, studentid, memberid, clientid, fingerprint, photo, \
                address, street, house number",
    },
    Topic {
        role: Role::Identifier,
        about: "it is a person's name, or part of it",
        words: "firstname, lastname, surname, forename, fullname, nickname, initial, signature",
    },
    Topic {
        role: Role::Drop,
        about: "free text may name people",
        words: "note, comment, remark, free text, freetext, memo, narrative",
    },
    Topic {
        role: Role::Drop,
        about: "a sampling weight counts people outside the table, and a rare one singles somebody out",
        words: "fnlwgt, perwt, hhwt, pwgtp, wtfinl, asecwt, pweight, sample weight, sampling weight, survey \
                weight, design weight, final weight, person weight, household weight, instance weight, expansion \
                factor",
    },
    Topic {
        role: Role::Sensitive,
        about: "health is to be protected",
        words: "diagnosis, diagnoses, diagnostic, dx, icd, disease, illness, condition, disorder, syndrome, \
                symptom, infection, treatment, therapy, medication, medicine, drug, prescription, procedure, \
                surgery, operation, hiv, aids, cancer, tumor, tumour, diabetes, diabetic, stroke, pregnancy, \
                pregnant, abortion, disability, disabled, mental, psychiatric, depression, genetic, genome, \
                gene, genotype, mutation, blood, glucose, insulin, cholesterol, bmi, hba 1 c, creatinine, heart \
                rate, pulse, vaccination, vaccine, allergy, health, sick leave, injury, cause of death",
    },
    Topic {
        role: Role::Sensitive,
        about: "what somebody earns and owns is to be protected",
        words: "salary, income, wage, earning, pay, payment, bonus, pension, wealth, net worth, asset, capital, \
                debt, loan, mortgage, credit, balance, savings, tax, turnover, charge, price, purchase, \
                dividend, stock, benefit, spending, expense",
    },
    Topic {
        role: Role::Sensitive,
        about: "belief and opinion are to be protected",
        words: "religion, religious, faith, belief, denomination, political, politics, party, vote, voting, \
                union, opinion, attitude",
    },
    Topic {
        role: Role::Sensitive,
        about: "private life is to be protected",
        words: "sexual, sexuality, sexual orientation, orientation, alcohol, drinking, smoking, smoker, tobacco, \
                addiction, abuse, violence, affair",
    },
    Topic {
        role: Role::Sensitive,
        about: "guilt and punishment are to be protected",
        words: "crime, criminal, conviction, offence, offense, arrest, sentence, verdict, recidivism",
    },
    Topic {
        role: Role::Sensitive,
        about: "how somebody was judged is to be protected",
        words: "grade, gpa, exam, score, rating, performance, iq, appraisal",
    },
    Topic {
        role: Role::Quasi,
        about: "neighbours know where somebody lives",
        words: "country, nation, state, province, region, county, district, municipality, commune, city, town, \
                village, place, location, borough, tract, area, latitude, longitude, lat, lon, lng, residence, \
                urban, rural",
    },
    Topic {
        role: Role::Quasi,
        about: "others can see it or look it up",
        words: "age, sex, gender, birth, born, dob, birthday, birthdate, birth date, birth year, race, \
                ethnicity, ethnic, hispanic, nationality, citizenship, citizen, immigrant, migration, native, \
                language, height, eye color, hair color, veteran",
    },
    Topic {
        role: Role::Quasi,
        about: "neighbours know a household",
        words: "marital, married, spouse, relationship, family, household, child, children, dependent, sibling, \
                parent, housing, dwelling, car, vehicle",
    },
    Topic {
        role: Role::Quasi,
        about: "colleagues know of school and work",
        words: "education, educational, schooling, school, university, college, degree, qualification, major, \
                occupation, occupational, profession, job, employment, employer, employed, company, industry, \
                sector, work, workclass, department, rank, military",
    },
    Topic {
        role: Role::Quasi,
        about: "others may know when and where something happened",
        words: "date, year, month, day, time, timestamp, admission, discharge, stay, visit, ward, clinic, \
                hospital, physician, doctor, death, entry, exit, trip",
    },
    POSTAL,
];

/// Postal codes, which generalize by leaving out their last characters.
pub(super) const POSTAL: Topic = Topic {
    role: Role::Quasi,
    about: "neighbours know where somebody lives",
    words: "zip, zipcode, zip code, postcode, post code, postal, postal code, plz",
};

/// Words that say nothing by themselves at the end of a name: what stands before them decides.
pub(super) const NEUTRAL: &str = "\
    code, class, category, group, type, kind, status, level, number, num, no, nr, value, flag, label, index, text, \
    desc, description, amount, total, cd, amt, std";

/// Words after which a name tells more about its subject: the days of a stay are days.
pub(super) const LINKS: &str = "of, at, in, for, on, by, per, to, from, since, with";

/// Words that point to one person if what stands beside them is about persons or is nothing.
pub(super) const POINTERS: &str = "id, ident, identifier, name, key, pk";

/// Words like these, but which need a person beside them.
pub(super) const WEAK_POINTERS: &str = "number, no, nr, num, code";

/// Persons, their records, and the parts of their names.
pub(super) const PERSONS: &str = "\
    person, personal, people, patient, customer, client, user, member, employee, staff, worker, student, pupil, \
    subject, participant, respondent, individual, citizen, resident, taxpayer, voter, donor, owner, holder, \
    borrower, record, row, case, visit, encounter, transaction, claim, order, invoice, first, last, middle, given, \
    family, full, maiden, mother, father, unique, study, pseudo, insurance, account";

/// Names of columns that may say how many people a row stands for, and whether they hardly mean anything else.
pub(super) const COUNTS: &[(&str, bool)] = &[
    ("copy", true),
    ("copies", true),
    ("multiplicity", true),
    ("row weight", true),
    ("weight", false),
    ("count", false),
    ("n", false),
    ("freq", false),
    ("frequency", false),
    ("people", false),
    ("person", false),
    ("case", false),
];

/// Words whose values have no order, even where they are written as numbers.
pub(super) const NOMINAL: &str = "\
    sex, gender, race, ethnicity, ethnic, hispanic, nationality, citizenship, language, country, nation, state, \
    province, region, county, district, municipality, city, town, marital, relationship, occupation, profession, \
    job, industry, sector, employer, company, department, ward, clinic, hospital, religion, diagnosis";

/// Words that say the same at the end of a name.
pub(super) const NOMINAL_ENDS: &str = "code, cd, type, kind, category";
