//! Every error code has a page that says what happened, why, and what to do; every such page has its code.

use std::sync::LazyLock;

use regex::Regex;

use super::{Complaint, SourceFile};

const CODES: &str = "crates/engine/src/error_code.rs";
const PAGES: &str = "docs/errors/";

static CODE: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a literal, which the tests use")]
    Regex::new(r#"^\s*\w+ = "([A-Z_]+)","#).expect("a valid pattern")
});

pub(super) fn check(files: &[SourceFile]) -> Vec<Complaint> {
    let Some(table) = files.iter().find(|file| file.path == CODES) else {
        return vec![Complaint::new(CODES, 1, "the table of error codes is gone")];
    };
    let codes: Vec<(usize, &str)> =
        table.lines().filter_map(|(number, line)| Some((number, CODE.captures(line)?.get(1)?.as_str()))).collect();
    let pages: Vec<(&SourceFile, &str)> =
        files.iter().filter_map(|file| Some((file, file.path.strip_prefix(PAGES)?.strip_suffix(".md")?))).collect();

    let without_page = codes.iter().filter(|(_, code)| !pages.iter().any(|(_, page)| page == code));
    let without_code = pages.iter().filter(|(_, page)| !codes.iter().any(|(_, code)| code == page));
    let untitled = pages.iter().filter(|(file, page)| !file.text.starts_with(&format!("# {page}\n")));
    without_page
        .map(|(number, code)| Complaint::new(CODES, *number, format!("{code} has no page {PAGES}{code}.md")))
        .chain(without_code.map(|(file, page)| Complaint::new(&file.path, 1, format!("there is no error code {page}"))))
        .chain(untitled.map(|(file, page)| Complaint::new(&file.path, 1, format!("the page begins with `# {page}`"))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    #[test]
    fn codes_and_pages_come_in_pairs() {
        let table = file(CODES, "error_codes! {\n    A = \"CODE_A\", \"a\";\n    B = \"CODE_B\", \"b\";\n}\n");
        let page = |name: &str, text: &str| file(&format!("{PAGES}{name}.md"), text);
        let files = [table, page("CODE_A", "# CODE_A\n"), page("CODE_C", "# CODE_C\n")];
        let said: Vec<String> = check(&files).iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "crates/engine/src/error_code.rs:3: CODE_B has no page docs/errors/CODE_B.md",
                "docs/errors/CODE_C.md:1: there is no error code CODE_C"
            ]
        );
        assert_eq!(check(&[file(CODES, "A = \"CODE_A\", \"a\";\n"), page("CODE_A", "Oh\n")]).len(), 1);
    }
}
