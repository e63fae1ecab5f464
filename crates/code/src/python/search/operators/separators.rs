//! A comma that is missing between two texts: Python makes one of them.

use ruff_python_ast::Expr;
use ruff_text_size::Ranged as _;

use super::RepairOperator;
use crate::python::search::site::Site;
use crate::search::change::Changes;
use crate::search::priors::Family;

pub(super) struct Separators;

impl RepairOperator for Separators {
    fn family(&self) -> Family {
        Family::Separators
    }

    fn propose(&self, site: &Site<'_>, changes: &mut Changes) {
        for node in site.nodes() {
            let Expr::StringLiteral(literal) = node.expression else { continue };
            let parts: Vec<_> = literal.value.iter().map(|part| part.range().to_std_range()).collect();
            for pair in parts.windows(2) {
                let [left, right] = pair else { continue };
                // A long text that goes on in the next line is meant to be one.
                let is_beside = site.file.text.get(left.end..right.start).is_some_and(|gap| !gap.contains('\n'));
                if is_beside {
                    changes.insert(1.0, left.end, ",");
                }
            }
        }
    }
}
