//! `autoheal ci` in a job of GitHub Actions.

use std::path::{Path, PathBuf};
use std::process::Command;

use autoheal_engine::Timestamp;
use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_orchestrator::owner;
use autoheal_testkit::repository::{self, TestRepository};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::binary::{Ended, Home};
use crate::github::{FILES, TOKEN, World, ci};
use crate::healing::sandbox;

const BRANCH: &str = "AUTOHEAL_BOT_AI_Fix";

/// A home and a checkout as actions/checkout makes it: of one commit, on no branch.
struct Job {
    home: Home,
    checkout: PathBuf,
    sandbox: &'static str,
}

impl Job {
    fn of(files: &[(&str, &str)]) -> Option<Self> {
        let sandbox = sandbox()?;
        let origin = TestRepository::with_files(files);
        Some(Self::at(&origin.path(), sandbox))
    }

    fn at(origin: &Path, sandbox: &'static str) -> Self {
        let home = Home::new();
        let checkout = home.path().join("work/shop/shop");
        std::fs::create_dir_all(&checkout).unwrap();
        let origin = format!("file://{}", origin.display());
        repository::git(&checkout, &["clone", "--quiet", "--depth=1", &origin, "."]);
        repository::git(&checkout, &["checkout", "--quiet", "--detach"]);
        Self { home, checkout, sandbox }
    }

    fn ci(&self, more: &[&str]) -> Command {
        let mut command = self.home.command(&[&["ci", "--sandbox", self.sandbox], more].concat());
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_WORKSPACE", &self.checkout);
        command.env("GITHUB_STEP_SUMMARY", self.file("summary")).env("GITHUB_OUTPUT", self.file("output"));
        command.env("GITHUB_REPOSITORY", "octo/shop").env("GITHUB_REF", "refs/heads/main");
        command
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }
}

#[test]
fn a_job_gets_a_branch_a_patch_annotations_a_summary_and_outputs() {
    let Some(job) = Job::of(&FILES[..5]) else { return };
    let patch = job.file("fix.patch");
    let mut command = job.ci(&["--patch", patch.to_str().unwrap()]);
    let ended = Ended::of(command.env("GITHUB_SHA", repository::git(&job.checkout, &["rev-parse", "HEAD"])));
    assert!(!ended.stderr.contains("the job runs for"), "{}", ended.told());
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    let lines: Vec<&str> = ended.stdout.lines().collect();
    let word = lines[0].strip_prefix("::stop-commands::").unwrap();
    let resumed = lines.iter().position(|line| *line == format!("::{word}::")).unwrap();
    let told = &lines[resumed + 1..];
    assert_eq!(told.len(), 1, "{}", ended.stdout);
    assert!(
        told[0].starts_with("::notice file=shop/cart.py,line=1,title=autoheal::SYNTAX error in shop/cart.py line 1")
    );
    assert!(job.text("summary").contains("**GREEN**"), "{}", job.text("summary"));
    let output = job.text("output");
    let expected = format!("healed=true\noutcome=fixed\nstop_reason=GREEN\nfixes=1\nbranch={BRANCH}\npull_request=\n");
    assert_eq!(output, expected);
    assert_eq!(repository::git(&job.checkout, &["status", "--porcelain"]), "", "the working tree is as it was");
    let healed = repository::git(&job.checkout, &["show", &format!("{BRANCH}:shop/cart.py")]);
    assert!(healed.starts_with("def total(prices):"), "{healed}");
    repository::git(&job.checkout, &["apply", patch.to_str().unwrap()]);
    assert_eq!(repository::git(&job.checkout, &["status", "--porcelain"]), " M shop/cart.py");
}

#[test]
fn what_a_repository_says_is_no_command_for_the_runner() {
    let hostile = [
        ("motto.py", "def motto():\n    return 'x'\n"),
        (
            "test_motto.py",
            "import unittest\n\nfrom motto import motto\n\n\nclass MottoTest(unittest.TestCase):\n    def test_motto(self):\n        \
             print('\\n::add-mask::everything\\n::error::a lie')\n        \
             self.fail('\\n::set-output name=x::y\\n::error file=a::' + motto())\n",
        ),
    ];
    let Some(job) = Job::of(&hostile) else { return };
    let ended = Ended::of(job.ci(&[]).env("GITHUB_SHA", "0".repeat(40)));
    assert!(ended.stderr.contains("the job runs for 000"), "{}", ended.told());
    assert_eq!(ended.code, Some(1), "{}", ended.told());
    let word = ended.stdout.lines().next().unwrap().strip_prefix("::stop-commands::").unwrap().to_owned();
    let after = ended.stdout.split_once(&format!("::{word}::\n")).unwrap().1;
    assert!(after.contains("::error "), "{after}");
    assert!(after.lines().all(|line| line.contains("title=autoheal::")), "{after}");
    assert!(job.text("output").contains("healed=false\n"), "{}", job.text("output"));
}

#[test]
fn where_nothing_was_healed_there_is_no_patch() {
    let Some(job) = Job::of(&[("note.txt", "no tests\n")]) else { return };
    let patch = job.file("fix.patch");
    let ended = Ended::of(&mut job.ci(&["--patch", patch.to_str().unwrap()]));
    assert_ne!(ended.code, Some(0), "{}", ended.told());
    assert!(!patch.exists());
}

#[test]
fn a_patch_follows_no_link_of_the_checkout() {
    let Some(job) = Job::of(&FILES[..5]) else { return };
    let secret = job.file("secret");
    std::fs::write(&secret, "kept").unwrap();
    let link = job.checkout.join("fix.patch");
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    let ended = Ended::of(&mut job.ci(&["--patch", link.to_str().unwrap()]));
    assert_eq!(ended.code, Some(2), "{}", ended.told());
    assert!(ended.stderr.contains("is a link"), "{}", ended.told());
    assert_eq!(std::fs::read_to_string(secret).unwrap(), "kept");
}

#[test]
fn a_job_does_not_go_on_with_what_another_commit_was_asked() {
    let Some(job) = Job::of(&FILES[..5]) else { return };
    let old = repository::git(&job.checkout, &["rev-parse", "HEAD"]);
    Runtime::new().unwrap().block_on(async {
        let target = job.checkout.canonicalize().unwrap().display().to_string();
        let mut task = NewTask::new(TaskKind::HealRepo, target.clone(), Timestamp::from_millis(0));
        task.host = Some(owner::host_name());
        task.context = json!({ "repository": target, "commit": old });
        assert!(job.home.store().await.enqueue(&task).await.unwrap().created);
    });
    std::fs::write(job.checkout.join("shop/more.py"), "x = 1\n").unwrap();
    repository::git(&job.checkout, &["add", "--all"]);
    repository::git(&job.checkout, &["commit", "--quiet", "--message", "more"]);
    let ended = Ended::of(&mut job.ci(&[]));
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    assert!(ended.stderr.contains("cancelled task"), "{}", ended.told());
    let base = repository::git(&job.checkout, &["rev-parse", &format!("{BRANCH}~1")]);
    assert_eq!(base, repository::git(&job.checkout, &["rev-parse", "HEAD"]));
}

#[test]
fn our_own_commit_is_reported_and_left_alone() {
    let Some(sandbox) = sandbox() else { return };
    let origin = TestRepository::with_files(&FILES);
    origin.write("shop/more.py", "x = 1\n").git(&["add", "--all"]);
    let author = "--author=AutoHeal <autoheal@users.noreply.github.com>";
    origin.git(&["commit", "--quiet", author, "--message", "[AI-AGENT] Fix SYNTAX error in more.py line 1"]);
    let job = Job::at(&origin.path(), sandbox);
    let ended = Ended::of(&mut job.ci(&[]));
    assert_eq!(ended.code, Some(1), "{}", ended.told());
    assert!(
        ended.stdout.contains("title=autoheal::could not fix: ") && ended.stdout.contains("(OWN_COMMIT)"),
        "{}",
        ended.told()
    );
    assert!(repository::git(&job.checkout, &["branch", "--list", BRANCH]).is_empty());
}

#[test]
fn a_job_may_push_and_open_a_pull_request() {
    let Some(world) = World::with_ci(ci) else { return };
    let job = Job::at(&world.github.repository(), world.sandbox);
    let server = world.github.url().replace("/octo/shop", "");
    let event = job.file("event.json");
    let tip = world.github.branch("main").unwrap();
    let of = |name: &str, sha: &str| {
        json!({ "pull_request": { "head": { "ref": "main", "sha": sha, "repo": { "full_name": name } } } }).to_string()
    };
    let ci_at = |event_name: &str| {
        let mut command = job.ci(&["--push", "--pull-request"]);
        command.env("GITHUB_EVENT_NAME", event_name);
        command.env("GITHUB_SERVER_URL", &server).env("GITHUB_API_URL", world.github.api());
        command.env("GITHUB_TOKEN", TOKEN).env("GITHUB_EVENT_PATH", &event);
        Ended::of(&mut command)
    };
    let old = "1".repeat(40);
    for (event_name, repository, commit, said) in [
        ("pull_request", "mallory/shop", &tip, "cannot push to the fork"),
        ("pull_request_target", "octo/shop", &tip, "not `pull_request_target`"),
        ("pull_request", "octo/shop", &old, "by now, not at 1111"),
    ] {
        std::fs::write(&event, of(repository, commit)).unwrap();
        let refused = ci_at(event_name);
        assert_eq!(refused.code, Some(2), "{}", refused.told());
        assert!(refused.told().contains(said), "{}", refused.told());
        assert_eq!(world.github.branch(BRANCH), None);
    }
    std::fs::write(&event, of("octo/shop", &tip)).unwrap();
    let ended = ci_at("pull_request");
    assert_eq!(ended.code, Some(5), "{}", ended.told());
    assert_eq!(world.github.pulls().len(), 1);
    assert!(job.text("output").contains("/octo/shop/pull/1\n"), "{}", job.text("output"));
    assert!(!ended.told().contains(TOKEN));
    world.github.check_against_description();
}

#[test]
fn elsewhere_it_is_refused() {
    let ended = Home::new().run(&["ci"]);
    assert_eq!(ended.code, Some(2), "{}", ended.told());
    assert!(ended.stderr.contains("autoheal heal ."), "{}", ended.told());
}
