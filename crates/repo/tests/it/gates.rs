//! Formatters and type checkers that CI runs are part of green, and are healed: by the tool itself, or by what it says. Real tools: those that
//! this machine lacks are skipped, loudly.

use autoheal_engine::StopReason;
use autoheal_repo::HealRequest;
use autoheal_testkit::repository::TestRepository;
use autoheal_testkit::skip;

use crate::driver::{Healed, heal};
use crate::heal_node;

const CALC: &str = "from decimal import Decimal\n\nRATE = Decimal(\"0.19\")\n\n\ndef tax_of(amount: Decimal) -> Decimal:\n    return amount * RATE\n";

const TESTS: &str = "from decimal import Decimal\n\nfrom shop.calc import tax_of\n\n\ndef test_tax():\n    assert tax_of(Decimal(100)) == 19\n";

fn workflow(command: &str) -> String {
    format!("on: push\njobs:\n  a:\n    steps:\n      - run: {command}\n      - run: python -m pytest -q\n")
}

/// A repository whose last commit changed one file, so that `command` of its CI is red.
fn repository(command: &str, file: &str, good: &str, broken: &str, more: &[(&str, &str)]) -> TestRepository {
    let repository = TestRepository::new();
    let ci = workflow(command);
    let files = [
        (".github/workflows/ci.yml", ci.as_str()),
        ("pytest.ini", "[pytest]\n"),
        ("shop/__init__.py", ""),
        ("shop/calc.py", CALC),
        ("tests/test_calc.py", TESTS),
    ];
    for (name, text) in files.iter().chain(more).chain(&[(file, good)]) {
        repository.write(name, text);
    }
    repository.commit("as it was");
    repository.write(file, broken);
    repository.commit("break it");
    repository
}

/// Heals with the tools of this machine; `None`, loudly, where it lacks the one that CI runs.
async fn healed(tool: &str, repository: &TestRepository) -> Option<Healed> {
    let healed = heal(HealRequest::new(repository.path().display().to_string())).await?;
    let not_run = healed.state.analysis.setup.iter().flat_map(|setup| &setup.not_run);
    if not_run.chain(&healed.state.warnings).any(|told| told.contains("is not installed here")) {
        skip(&format!("healing what {tool} finds"), "it is not installed, and could not be");
        return None;
    }
    Some(healed)
}

/// The run ended green, and the branch holds `good` again.
fn is_restored(healed: &Healed, repository: &TestRepository, file: &str, good: &str) {
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert_eq!(repository.git(&["show", &format!("AUTOHEAL_BOT_AI_Fix:{file}")]), good.trim_end());
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), file);
}

#[tokio::test]
async fn each_formatter_of_python_mends_what_it_finds() {
    let unformatted = CALC.replace("amount * RATE", "( amount*RATE )");
    let unsorted = TESTS.replace(
        "from decimal import Decimal\n\nfrom shop.calc import tax_of\n",
        "from shop.calc import tax_of\nfrom decimal import Decimal\n",
    );
    for (tool, command, file, good, broken) in [
        ("black", "black --check .", "shop/calc.py", CALC, unformatted.as_str()),
        ("ruff format", "ruff format --check .", "shop/calc.py", CALC, &unformatted),
        // A test that is the same program judges the same.
        ("isort", "isort --check .", "tests/test_calc.py", TESTS, &unsorted),
    ] {
        let repository = repository(command, file, good, broken, &[]);
        let Some(healed) = healed(tool, &repository).await else { continue };
        is_restored(&healed, &repository, file, good);
    }
}

#[tokio::test]
async fn a_fix_is_formatted_before_the_run_is_green() {
    let good = format!(
        "{CALC}\n\ndef label(count: int) -> str:\n    return \"a cart that holds exactly this number of lines: \" + str(count)\n"
    );
    let broken = good.replace("def tax_of(amount: Decimal) -> Decimal:", "def tax_of(amount: Decimal)->Decimal");
    let repository = repository("black --check shop", "shop/calc.py", &good, &broken, &[]);
    let Some(healed) = healed("black", &repository).await else { return };
    is_restored(&healed, &repository, "shop/calc.py", &good);
}

#[tokio::test]
async fn a_formatter_that_changes_the_program_is_refused() {
    let settings = [(".isort.cfg", "[settings]\nadd_imports = import os\n")];
    let repository =
        repository("isort --check shop/calc.py", "shop/calc.py", &format!("import os\n{CALC}"), CALC, &settings);
    let Some(healed) = healed("isort", &repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
    assert_eq!(repository.git(&["branch", "--list"]), "* main");
}

#[tokio::test]
async fn what_type_checkers_find_is_healed_by_what_they_say() {
    let annotated = CALC.replace("-> Decimal", "-> str");
    let more = format!(
        "{CALC}\n\nclass Cart:\n    def __init__(self) -> None:\n        self.lines: list[int] = []\n\n    def size(self) -> int:\n        return len(self.lines)\n"
    );
    let misspelt = more.replace("len(self.lines)", "len(self.lins)");
    for (tool, command, good, broken) in [
        ("mypy", "mypy shop", CALC, annotated.as_str()),
        ("mypy", "mypy shop", &more, &misspelt),
        ("pyright", "pyright shop", &more, &misspelt),
        ("pylint", "pylint --disable=all --enable=E shop", &more, &misspelt),
    ] {
        let repository = repository(command, "shop/calc.py", good, broken, &[]);
        let Some(healed) = healed(tool, &repository).await else { continue };
        is_restored(&healed, &repository, "shop/calc.py", good);
    }
}

#[tokio::test]
async fn a_type_error_is_never_healed_by_looking_away() {
    let broken =
        format!("{CALC}\n\ndef pick(flag: bool) -> str:\n    if flag:\n        return \"a\"\n    return RATE\n");
    let repository = repository("mypy shop", "shop/calc.py", CALC, &broken, &[]);
    let Some(healed) = healed("mypy", &repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
    assert_eq!(repository.git(&["branch", "--list"]), "* main");
}

#[tokio::test]
async fn an_import_that_a_misspelt_name_means_stays() {
    let good = format!("import json\n{CALC}\n\ndef said(value: str) -> str:\n    return json.dumps(value)\n");
    let repository = TestRepository::new();
    let ci = workflow("ruff check --select F shop");
    let broken = good.replace("json.dumps", "jsn.dumps").replace("Decimal(\"0.19\")", "Decimal(\"0.19\"");
    for (name, text) in [
        (".github/workflows/ci.yml", ci.as_str()),
        ("pytest.ini", "[pytest]\n"),
        ("shop/__init__.py", ""),
        ("shop/calc.py", &good),
        ("tests/test_calc.py", TESTS),
    ] {
        repository.write(name, text);
    }
    repository.commit("as it was");
    repository.write("shop/calc.py", broken);
    repository.commit("break it");
    let Some(healed) = healed("ruff", &repository).await else { return };
    is_restored(&healed, &repository, "shop/calc.py", &good);
}

const SCRIPT: &str =
    "function taxOf(amount) {\n  return Math.round(amount * 19) / 100;\n}\n\nmodule.exports = { taxOf };\n";

const SCRIPT_TESTS: &str = "const test = require(\"node:test\");\nconst assert = require(\"node:assert\");\nconst { taxOf } = require(\"../src/tax\");\n\n\
                            test(\"tax\", () => assert.equal(taxOf(100), 19));\n";

fn node_workflow(script: &str) -> String {
    format!("on: push\njobs:\n  a:\n    steps:\n      - run: npm run {script}\n      - run: npm test\n")
}

#[tokio::test]
async fn each_formatter_of_javascript_mends_what_it_finds() {
    let broken = SCRIPT.replace("Math.round(amount * 19)", "Math.round( amount*19 )");
    for (package, command, settings) in [
        ("prettier@3.6.2", "prettier --check src", (".prettierrc", "{}\n")),
        ("@biomejs/biome@2.2.0", "biome format src", ("biome.json", "{\"formatter\": {\"indentStyle\": \"space\"}}\n")),
    ] {
        let (name, version) = package.rsplit_once('@').unwrap_or((package, "*"));
        let manifest = format!(
            "{{\"scripts\": {{\"test\": \"node --test test/*.js\", \"look\": \"{command}\"}}, \"devDependencies\": {{\"{name}\": \"{version}\"}}}}"
        );
        let repository = TestRepository::new();
        for (file, text) in [
            ("package.json", manifest.as_str()),
            (".github/workflows/ci.yml", &node_workflow("look")),
            settings,
            ("src/tax.js", SCRIPT),
            ("test/tax.js", SCRIPT_TESTS),
        ] {
            repository.write(file, text);
        }
        repository.commit("as it was");
        repository.write("src/tax.js", &broken);
        repository.commit("break it");
        let request = HealRequest::new(repository.path().display().to_string());
        let Some(healed) = heal_node::heal_as_asked(request).await else { continue };
        is_restored(&healed, &repository, "src/tax.js", SCRIPT);
    }
}

#[tokio::test]
async fn a_wrong_annotation_is_corrected_as_the_compiler_says() {
    let good = "export function taxOf(amount: number): number {\n  return Math.round(amount * 19) / 100;\n}\n";
    let manifest = "{\"scripts\": {\"test\": \"node --test test/*.js\", \"types\": \"tsc --noEmit\"}, \"devDependencies\": {\"typescript\": \"5.9.3\"}}";
    let settings = "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2020\", \"types\": []}, \"include\": [\"src/*.ts\"]}\n";
    let repository = TestRepository::new();
    for (file, text) in [
        ("package.json", manifest),
        ("tsconfig.json", settings),
        (".github/workflows/ci.yml", &node_workflow("types")),
        ("src/typed.ts", good),
        ("src/tax.js", SCRIPT),
        ("test/tax.js", SCRIPT_TESTS),
    ] {
        repository.write(file, text);
    }
    repository.commit("as it was");
    repository.write("src/typed.ts", good.replace("): number", "): string"));
    repository.commit("break it");
    let request = HealRequest::new(repository.path().display().to_string());
    let Some(healed) = heal_node::heal_as_asked(request).await else { return };
    is_restored(&healed, &repository, "src/typed.ts", good);
}
