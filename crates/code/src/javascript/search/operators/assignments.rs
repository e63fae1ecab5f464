//! An assignment of the wrong kind: `=` for `+=`, `-=` for `+=`, `--` for `++`.

use super::arithmetic::{alternatives, operator_place};
use crate::edit::Edit;
use crate::javascript::search::site::Site;
use crate::javascript::search::tree::Shape;
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        match &node.shape {
            Shape::Assign { target, operator, value } => {
                let Some(place) = operator_place(site.file.text, *target, *value, operator) else { continue };
                let others: Vec<(String, f64)> = match *operator {
                    "=" => [("+=", 2.0), ("-=", 0.7), ("||=", 0.4), ("*=", 0.3), ("|=", 0.3), ("??=", 0.2)]
                        .map(|(other, weight)| (other.to_owned(), weight))
                        .to_vec(),
                    operator => {
                        let plain = operator.trim_end_matches('=');
                        let alike = alternatives(plain).iter().map(|(other, weight)| (format!("{other}="), *weight));
                        alike.chain([("=".to_owned(), 2.0)]).collect()
                    }
                };
                for (other, weight) in others {
                    changes.add(weight, vec![Edit::replace(place.range(), other)]);
                }
                if *operator == "=" {
                    changes.swap(0.3, site.file.text, target, value);
                }
            }
            Shape::Update { operator, is_prefix, operand } => {
                let (other, sum) = if *operator == "++" { ("--", "+=") } else { ("++", "-=") };
                let code = site.text(*operand);
                let other = if *is_prefix { format!("{other}{code}") } else { format!("{code}{other}") };
                changes.replace(4.0, &node.span, other);
                changes.replace(0.5, &node.span, format!("{code} {sum} 2"));
                if node.parent.is_some() {
                    changes.replace(1.0, &node.span, code);
                }
            }
            _ => {}
        }
    }
}
