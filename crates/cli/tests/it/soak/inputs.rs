//! Inputs of the soak: ordinary repositories, and repositories and pages that are made to do harm.

use std::io::Write as _;
use std::sync::LazyLock;
use std::time::Duration;

use autoheal_testkit::pills;
use autoheal_testkit::repository::TestRepository;
use autoheal_testkit::site::{Change, RawAnswer};

/// The name of a kind of repository, and the function that makes one.
pub(super) type Kind = (&'static str, fn() -> TestRepository);

/// A repository that heals to GREEN.
pub(super) const ORDINARY_REPOSITORY: Kind = ("ordinary", ordinary_repository);

fn ordinary_repository() -> TestRepository {
    with_test("def total(prices)\n    return sum(prices)\n", "self.assertEqual(total([1, 2]), 3)")
}

/// Repositories that can not be healed and do harm when their tests run, when git reads them or when their files are parsed.
pub(super) const HOSTILE_REPOSITORIES: [Kind; 9] = [
    ("fork bomb", || harmful("while True:\n            os.fork()")),
    ("filled disk", || {
        harmful("with open('filler', 'wb') as file:\n            while True: file.write(b'x' * 1048576)")
    }),
    ("hang", || harmful("signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64)); time.sleep(10 ** 6)")),
    ("many files", || harmful("for number in range(10 ** 9): open(f'f{number}', 'w').close()")),
    ("memory", || harmful("kept = []\n        while True: kept.append(bytearray(1 << 24))")),
    ("flood of output", || harmful("while True: os.write(1, b'FAILED tests: x\\n' * 4096)")),
    ("deep brackets", || of_pill("py-parentheses")),
    ("nested f-strings", || of_pill("py-f-strings")),
    ("folders without end", folders_without_end),
];

/// Pages that harm their readers, each with the name of its source. They are served as `/article/1`, `/article/2` and so on.
pub(super) static HOSTILE_PAGES: LazyLock<Vec<(&str, Change)>> = LazyLock::new(hostile_pages);

fn hostile_pages() -> Vec<(&'static str, Change)> {
    let html = |body: Vec<u8>| Change::Raw(RawAnswer::new("text/html; charset=utf-8", body));
    let of_pill = |pill: &pills::Pill| (pill.name, html(pill.text(1_000_000).into_bytes()));
    let hard =
        ["html-attributes", "html-misnested-deep", "html-div", "html-table-foster-formatting", "html-json-ld-deep"];
    let hard = pills::pages().iter().filter(|pill| hard.contains(&pill.name)).map(of_pill);
    let endless = |pause| Change::Endless { piece: b"<p>more</p>".repeat(100), pause };
    let bomb = RawAnswer::new("text/html", bomb()).header("Content-Encoding", "gzip");
    let others = [
        ("redirect-to-itself", Change::RedirectTemporarily("/article/1".to_owned())),
        ("endless-body", endless(Duration::ZERO)),
        ("slow-body", endless(Duration::from_secs(1))),
        ("late-answer", Change::Delay(Duration::from_hours(1))),
        ("bomb", Change::Raw(bomb)),
    ];
    others.into_iter().chain(hard).collect()
}

/// A gigabyte of zeros, compressed.
fn bomb() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let piece = vec![0; 1 << 20];
    for _ in 0..1024 {
        encoder.write_all(&piece).unwrap();
    }
    encoder.finish().unwrap()
}

fn with_test(module: &str, assertion: &str) -> TestRepository {
    let test = format!(
        "import os, signal, time, unittest\n\nfrom shop.cart import total\n\n\nclass CartTest(unittest.TestCase):\n    \
         def test_total(self):\n        {assertion}\n"
    );
    TestRepository::with_files(&[
        ("shop/__init__.py", ""),
        ("shop/cart.py", module),
        ("tests/__init__.py", ""),
        ("tests/test_cart.py", &test),
    ])
}

/// A repository whose test does this: nothing that may be changed helps.
fn harmful(statements: &str) -> TestRepository {
    with_test("def total(prices):\n    return sum(prices)\n", statements)
}

/// A repository whose only module is hard to parse, and wrong.
fn of_pill(name: &str) -> TestRepository {
    let pill = pills::python().iter().find(|pill| pill.name == name).unwrap();
    with_test(&pill.text(1_000_000), "self.assertEqual(total([1, 2]), 3)")
}

/// A repository of a few hundred bytes with ten thousand million files.
fn folders_without_end() -> TestRepository {
    let repository = ordinary_repository();
    let entries = |kind: &str, mode: &str, object: &str| {
        let line = |number| format!("{mode} {kind} {object}\tentry{number}");
        (0..10).map(line).collect::<Vec<_>>().join("\n") + "\n"
    };
    let blob = repository.git(&["rev-parse", "HEAD:shop/cart.py"]);
    let file = repository.path().join(".git/entries");
    let mut listed = entries("blob", "100644", &blob);
    for _ in 0..10 {
        std::fs::write(&file, &listed).unwrap();
        listed = entries("tree", "040000", &repository.git_with_input(&["mktree"], &file));
    }
    std::fs::write(&file, &listed).unwrap();
    let tree = repository.git_with_input(&["mktree"], &file);
    let commit = repository.git(&["commit-tree", "-m", "more", "-p", "HEAD", &tree]);
    repository.git(&["update-ref", "refs/heads/main", &commit]);
    repository
}
