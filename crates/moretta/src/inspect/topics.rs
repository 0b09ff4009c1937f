//! The words that names of columns are made of: all that is known about them, as tables.
//!
//! Words are English, then German, French, Spanish, Italian, Portuguese and Polish, without accents and in the singular, with commas between
//! them; a plural is recognized by its `s`.

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
                address, street, house number, \
                telefon, telefono, telefone, handy, adresse, anschrift, direccion, indirizzo, endereco, adres, \
                strasse, hausnummer, rue, calle, rua, ulica, konto, kontonummer, courriel, correo, \
                steuernummer, sozialversicherungsnummer, versichertennummer, reisepass, passeport, pasaporte, \
                passaporto, passaporte, paszport, dni, nif, nir, cpf, pesel, codice fiscale, patid, pid, \
                subjid, custid, empid, patientennummer, patnr, personalnummer, kundennummer, matricule, \
                matrikelnummer",
    },
    Topic {
        role: Role::Identifier,
        about: "it is a person's name, or part of it",
        words: "firstname, lastname, surname, forename, fullname, nickname, initial, signature, \
                vorname, nachname, familienname, prenom, nom, nombre, apellido, nome, cognome, sobrenome, \
                imie, nazwisko",
    },
    Topic {
        role: Role::Drop,
        about: "free text may name people",
        words: "note, comment, remark, free text, freetext, memo, narrative, \
                bemerkung, anmerkung, kommentar, notiz, freitext, commentaire, remarque, comentario, \
                observacion, observacao, osservazione, uwaga, uwagi",
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
                rate, pulse, vaccination, vaccine, allergy, health, sick leave, injury, cause of death, \
                diagnose, krankheit, erkrankung, befund, behandlung, therapie, medikament, allergie, \
                schwangerschaft, behinderung, krebs, verletzung, todesursache, maladie, traitement, \
                medicament, blessure, enfermedad, diagnostico, tratamiento, medicamento, malattia, diagnosi, \
                trattamento, farmaco, doenca, tratamento, choroba, diagnoza, rozpoznanie, leczenie, lek",
    },
    Topic {
        role: Role::Sensitive,
        about: "what somebody earns and owns is to be protected",
        words: "salary, income, wage, earning, pay, payment, bonus, pension, wealth, net worth, asset, capital, \
                debt, loan, mortgage, credit, balance, savings, tax, turnover, charge, price, purchase, \
                dividend, stock, benefit, spending, expense, \
                gehalt, lohn, einkommen, verdienst, vermogen, schulden, kredit, rente, umsatz, steuer, \
                salaire, revenu, impot, dette, salario, sueldo, ingreso, renta, deuda, stipendio, reddito, \
                debito, renda, rendimento, wynagrodzenie, pensja, dochod, zarobki, podatek",
    },
    Topic {
        role: Role::Sensitive,
        about: "belief and opinion are to be protected",
        words: "religion, religious, faith, belief, denomination, political, politics, party, vote, voting, \
                union, opinion, attitude, \
                konfession, glaube, partei, gewerkschaft, croyance, parti, religione, religiao, partido, \
                partito, wyznanie, religia, partia",
    },
    Topic {
        role: Role::Sensitive,
        about: "private life is to be protected",
        words: "sexual, sexuality, sexual orientation, orientation, alcohol, drinking, smoking, smoker, tobacco, \
                addiction, abuse, violence, affair, \
                rauchen, raucher, alkohol, alcool, tabac, tabaco, fumeur, fumador, fumatore, fumante, palacy",
    },
    Topic {
        role: Role::Sensitive,
        about: "guilt and punishment are to be protected",
        words: "crime, criminal, conviction, offence, offense, arrest, sentence, verdict, recidivism, \
                straftat, urteil, delit, condamnation, delito, condena, reato, condanna, przestepstwo, wyrok",
    },
    Topic {
        role: Role::Sensitive,
        about: "how somebody was judged is to be protected",
        words: "grade, gpa, exam, score, rating, performance, iq, appraisal, \
                zeugnis, prufung, bewertung, leistung, examen, esame, exame, ocena",
    },
    Topic {
        role: Role::Quasi,
        about: "neighbours know where somebody lives",
        words: "country, nation, state, province, region, county, district, municipality, commune, city, town, \
                village, place, location, borough, tract, area, residence, urban, rural, \
                land, bundesland, kreis, landkreis, gemeinde, stadt, ort, wohnort, pays, departement, ville, \
                pais, provincia, ciudad, municipio, paese, regione, citta, comune, estado, cidade, regiao, \
                kraj, wojewodztwo, powiat, gmina, miasto, miejscowosc",
    },
    Topic {
        role: Role::Quasi,
        about: "as exact as it is written it points to a house, and intervals hide which",
        words: "latitude, longitude, lat, lon, lng, coordinate, geo, gps, easting, northing",
    },
    Topic {
        role: Role::Quasi,
        about: "others can see it or look it up",
        words: "age, sex, gender, birth, born, dob, birthday, birthdate, birth date, birth year, race, \
                ethnicity, ethnic, hispanic, nationality, citizenship, citizen, immigrant, migration, native, \
                language, height, eye color, hair color, veteran, \
                alter, geschlecht, geburt, geburtsdatum, geburtsjahr, geburtstag, herkunft, \
                staatsangehorigkeit, nationalitat, sprache, korpergrosse, sexe, naissance, origine, \
                nationalite, langue, taille, edad, sexo, genero, nacimiento, raza, nacionalidad, idioma, eta, \
                sesso, genere, nascita, razza, nazionalita, lingua, idade, nascimento, raca, nacionalidade, \
                wiek, plec, urodzenie, urodzenia, narodowosc, obywatelstwo, jezyk",
    },
    Topic {
        role: Role::Quasi,
        about: "neighbours know a household",
        words: "marital, married, spouse, relationship, family, household, child, children, dependent, sibling, \
                parent, housing, dwelling, car, vehicle, \
                familienstand, haushalt, kinder, verheiratet, etat civil, menage, enfant, famille, \
                estado civil, hogar, hijo, familia, stato civile, famiglia, figlio, filho, stan cywilny, \
                rodzina, dziecko, dzieci",
    },
    Topic {
        role: Role::Quasi,
        about: "colleagues know of school and work",
        words: "education, educational, schooling, school, university, college, degree, qualification, major, \
                occupation, occupational, profession, job, employment, employer, employed, company, industry, \
                sector, work, workclass, department, rank, military, \
                beruf, bildung, abschluss, schule, arbeitgeber, branche, beschaftigung, tatigkeit, abteilung, \
                metier, ecole, diplome, emploi, employeur, profesion, ocupacion, educacion, escuela, empleo, \
                empleador, empresa, estudio, professione, istruzione, scuola, lavoro, occupazione, profissao, \
                ocupacao, educacao, escola, trabalho, zawod, wyksztalcenie, szkola, praca, pracodawca",
    },
    Topic {
        role: Role::Quasi,
        about: "others may know when and where something happened",
        words: "date, year, month, day, time, timestamp, admission, discharge, stay, visit, ward, clinic, \
                hospital, physician, doctor, death, entry, exit, trip, \
                datum, jahr, monat, aufnahme, entlassung, aufenthalt, station, krankenhaus, klinik, arzt, \
                jour, mois, annee, sejour, hopital, medecin, fecha, ano, mes, dia, medico, anno, mese, giorno, \
                ricovero, ospedale, reparto, internacao, szpital, rok, miesiac, dzien, oddzial, lekarz",
    },
    POSTAL,
];

/// Postal codes, which generalize by leaving out their last characters.
pub(super) const POSTAL: Topic = Topic {
    role: Role::Quasi,
    about: "neighbours know where somebody lives",
    words: "zip, zipcode, zip code, postcode, post code, postal, postal code, plz, \
                postleitzahl, code postal, codigo postal, kod pocztowy, cep",
};

/// Words that say nothing by themselves at the end of a name: what stands before them decides.
pub(super) const NEUTRAL: &str = "\
    code, class, category, group, type, kind, status, level, number, num, no, nr, value, flag, label, index, text, \
    desc, description, amount, total, cd, amt, std, nummer, numero, numer, grp, cat";

/// What programs and surveys put before a name, and after one: `iage`, `AGEP`.
pub(super) const PREFIXES: &str = "i, v, q, x, n";

/// See [`PREFIXES`].
pub(super) const SUFFIXES: &str = "p, x";

/// Words after which a name tells more about its subject: the days of a stay are days.
pub(super) const LINKS: &str = "of, at, in, for, on, by, per, to, from, since, with";

/// Words that point to one person if what stands beside them is about persons or is nothing.
pub(super) const POINTERS: &str = "id, ident, identifier, name, key, pk";

/// Words like these, but which need a person beside them.
pub(super) const WEAK_POINTERS: &str = "number, no, nr, num, code, nummer, numero, numer";

/// Persons, their records, and the parts of their names.
pub(super) const PERSONS: &str = "\
    person, personal, people, patient, customer, client, user, member, employee, staff, worker, student, pupil, \
    subject, participant, respondent, individual, citizen, resident, taxpayer, voter, donor, owner, holder, \
    borrower, record, row, case, visit, encounter, transaction, claim, order, invoice, first, last, middle, given, \
    family, full, maiden, mother, father, unique, study, pseudo, insurance, account, pat, pt, subj, cust, emp, kunde, \
    kunden, patienten, personne, paciente, paziente, pacjent, utente, usuario";

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
    job, industry, sector, employer, company, department, ward, clinic, hospital, religion, diagnosis, geschlecht, sexe, \
    sexo, sesso, plec, land, bundesland, stadt, pays, ville, pais, ciudad, paese, citta, cidade, kraj, miasto, beruf, \
    familienstand, raza, razza, raca, diagnose";

/// Words that say the same at the end of a name.
pub(super) const NOMINAL_ENDS: &str = "code, cd, type, kind, category";
