//! A manual of vehicles in the shape that large collections of them have: home, make (with trucks apart), year, model, and below it folders
//! of sections whose links have the same text again and again. Lists are not closed, tables have captions, and every page gives its
//! position. A seed generates the contents; nothing in them is true of any vehicle.
//!
//! # Example
//!
//! ```
//! use autoheal_testkit::manual::Manual;
//!
//! let manual = Manual::new(7);
//! let question = &manual.questions()[0];
//! assert_eq!((question.year, question.make, question.model), ("2012", "Jeep", "Liberty"));
//! assert!(manual.pages()[&question.path].contains(&question.answer));
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Makes with their models; trucks have a separate make.
const MAKES: &[(&str, &[(&str, &str)])] = &[
    ("Ford", &[("Focus", "L4-2.0L"), ("Taurus", "V6-3.5L")]),
    ("Ford Truck", &[("F-150 2WD", "V8-5.4L"), ("Ranger", "V6-4.0L")]),
    ("Honda", &[("Accord", "L4-2.4L"), ("Civic", "L4-1.8L")]),
    ("Honda Truck", &[("Pilot", "V6-3.5L")]),
    ("Jeep", &[("Wagoneer", "V8-5.9L")]),
    ("Jeep Truck", &[("Liberty 4WD", "V6-3.7L"), ("Wrangler", "V6-3.8L")]),
];

const YEARS: &[&str] = &["2008", "2010", "2012"];

/// Folders below a model, with the sections in them.
const FOLDERS: &[(&str, &[&str])] = &[
    ("Engine Oil", &["Capacity Specifications", "Service and Repair"]),
    ("Wheels and Tires", &["Torque Specifications", "Service and Repair"]),
    ("Automatic Transmission", &["Capacity Specifications", "Fluid Type Specifications", "Service and Repair"]),
];

/// A question that the manual answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Model year of the vehicle.
    pub year: &'static str,
    /// Its make, as people say it: without `Truck`.
    pub make: &'static str,
    /// Its model, as people say it.
    pub model: &'static str,
    /// Text of the question.
    pub goal: &'static str,
    /// Content of the page that answers it.
    pub answer: String,
    /// The path of that page.
    pub path: String,
}

/// A manual: its pages by their paths, home at `/`.
#[derive(Debug, Clone)]
pub struct Manual {
    pages: BTreeMap<String, String>,
    questions: Vec<Question>,
}

impl Manual {
    /// The manual that a seed makes.
    pub fn new(seed: u64) -> Self {
        let mut manual = Self { pages: BTreeMap::new(), questions: Vec::new() };
        let mut random = Random(seed);
        let makes = MAKES.iter().map(|(make, _)| (path(&[make]), (*make).to_owned()));
        manual.list("/", &["Home"], makes);
        for (make, models) in MAKES {
            let years = YEARS.iter().map(|year| (path(&[make, year]), (*year).to_owned()));
            manual.list(&path(&[make]), &["Home", make], years);
            for year in YEARS {
                let named = models.iter().map(|(model, engine)| format!("{model} {engine}"));
                let links = named.map(|model| (path(&[make, year, &model]), model));
                manual.list(&path(&[make, year]), &["Home", make, year], links);
                for (model, engine) in *models {
                    manual.vehicle(&[make, year, &format!("{model} {engine}")], &mut random);
                }
            }
        }
        manual.ask("2012", "Jeep", "Liberty", "engine oil capacity", ["Jeep Truck", "Liberty 4WD V6-3.7L"], (0, 0));
        manual.ask(
            "2008",
            "Honda",
            "Accord",
            "torque specifications of the wheel nuts",
            ["Honda", "Accord L4-2.4L"],
            (1, 0),
        );
        manual.ask(
            "2010",
            "Ford",
            "F-150",
            "automatic transmission fluid type",
            ["Ford Truck", "F-150 2WD V8-5.4L"],
            (2, 1),
        );
        manual
    }

    /// Its pages, by their paths.
    pub const fn pages(&self) -> &BTreeMap<String, String> {
        &self.pages
    }

    /// Returns the questions that it answers: about a 2012 Jeep Liberty,
    /// a 2008 Honda Accord and a 2010 Ford F-150.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    fn list(&mut self, at: &str, place: &[&str], links: impl Iterator<Item = (String, String)>) {
        let mut body = String::from("<ul>");
        for (path, text) in links {
            let _ = writeln!(body, "<li><a href='{path}'>{text}</a>");
        }
        body.push_str("</ul>");
        self.put(at, place, &body);
    }

    /// The page of a vehicle with its folders, and the pages in them.
    fn vehicle(&mut self, vehicle: &[&str], random: &mut Random) {
        let mut body = String::from(
            "<ul><li class='li-folder'><a name='Repair%20and%20Diagnosis/'>Repair and Diagnosis</a><ul>\n",
        );
        for (folder, sections) in FOLDERS {
            let _ = writeln!(body, "<li class='li-folder'><a name='{folder}/'>{folder}</a><ul>");
            for section in *sections {
                let at = path(&[vehicle, &[folder, section]].concat());
                let _ = writeln!(body, "<li><a href='{at}'>{section}</a>");
                let place = [&["Home"], vehicle, &["Repair and Diagnosis", folder, section]].concat();
                self.put(&at, &place, &content(folder, section, random));
            }
            body.push_str("</ul>\n");
        }
        body.push_str("</ul></ul>");
        self.put(&path(vehicle), &[&["Home"], vehicle].concat(), &body);
    }

    fn put(&mut self, at: &str, place: &[&str], body: &str) {
        let title = place.last().copied().unwrap_or_default();
        let mut trail = String::new();
        for (depth, step) in place.iter().enumerate().take(place.len().saturating_sub(1)) {
            let to = if depth == 0 { "/".to_owned() } else { path(&place[1..=depth]) };
            // Folders below a vehicle have no page.
            let step = if depth <= 3 { format!("<a href='{to}'>{step}</a>") } else { (*step).to_owned() };
            let _ = write!(trail, "{step} &gt;&gt; ");
        }
        let page = format!(
            "<!doctype html><title>{title}</title><div class='breadcrumbs'>{trail}<b>{title}</b></div>\n{body}\n"
        );
        self.pages.insert(at.to_owned(), page);
    }

    fn ask(
        &mut self,
        year: &'static str,
        make: &'static str,
        model: &'static str,
        goal: &'static str,
        [stands_under, full_model]: [&str; 2],
        (folder, section): (usize, usize),
    ) {
        let (folder, sections) = FOLDERS[folder];
        let path = path(&[stands_under, year, full_model, folder, sections[section]]);
        let answer = self.pages[&path].rsplit("<td>").next().unwrap_or_default();
        let answer = answer.split('<').next().unwrap_or_default().trim().to_owned();
        self.questions.push(Question { year, make, model, goal, answer, path });
    }
}

/// Returns the page of a section: a table whose last cell is the answer, or a procedure.
fn content(folder: &str, section: &str, random: &mut Random) -> String {
    let value = match section {
        "Capacity Specifications" => format!("{}.{} L", random.below(8) + 3, random.below(10)),
        "Torque Specifications" => format!("{} Nm", random.below(90) + 60),
        "Fluid Type Specifications" => {
            format!("Type {}-{}", ["ATF", "CVT", "SP"][random.below(3)], random.below(90) + 10)
        }
        _ => {
            return format!(
                "<p>{folder}: raise the vehicle, drain, and fill again.<p>WARNING: hot parts burn.<img src='figure.png'>"
            );
        }
    };
    let (row, column) = match section {
        "Capacity Specifications" => ("With filter change", "Capacity"),
        "Torque Specifications" => ("Wheel nuts", "Torque"),
        _ => ("Fluid", "Type"),
    };
    let other = random.below(90) + 10;
    format!(
        "<table><caption>{folder} {section}</caption><tr><th>Item<th>{column}\n<tr><td>Other parts<td>{other}\n<tr><td>{row}<td>{value}</table>"
    )
}

fn path(steps: &[&str]) -> String {
    steps.iter().fold(String::from("/"), |path, step| format!("{path}{}/", step.replace(' ', "%20")))
}

/// Numbers that a seed decides (Knuth's linear congruential generator).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_one_manual_and_another_one_another() {
        let answers = |seed| Manual::new(seed).questions().iter().map(|one| one.answer.clone()).collect::<Vec<_>>();
        assert_eq!(answers(1), answers(1));
        assert_ne!(answers(1), answers(2));
        assert!(
            answers(1).iter().all(|answer| answer.chars().any(|letter| letter.is_ascii_digit())),
            "{:?}",
            answers(1)
        );
    }

    #[test]
    fn every_link_leads_to_a_page() {
        let manual = Manual::new(1);
        let links = manual.pages().values().flat_map(|page| page.split("href='").skip(1));
        let paths: Vec<&str> = links.map(|rest| rest.split('\'').next().unwrap()).collect();
        assert!(paths.len() > 100);
        assert!(paths.iter().all(|path| manual.pages().contains_key(*path)));
    }
}
