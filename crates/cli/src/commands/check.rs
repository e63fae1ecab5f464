use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use autoheal_forge::host::HostKind;
use autoheal_forge::{Git, GitSettings};
use autoheal_sandbox::{Choice, Door, SandboxKind, State};
use serde::Serialize;

use crate::args::Check;
use crate::config::{Config, github_token, gitlab_token};
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::wiring;

/// Result for one part.
#[derive(Debug, Serialize)]
struct Part {
    name: &'static str,
    usable: bool,
    /// Description of the part, or the reason it cannot be used and the remedy.
    detail: String,
    /// Features that need the part.
    needed_for: &'static str,
    /// Of the sandbox that would be used, each way out of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    doors: Vec<Door>,
}

/// Reports which tools and sandboxes of this machine are usable. Fails when `heal` could not work at all.
pub(super) async fn run(arguments: &Check, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let git = git().await;
    let mut docker = sandbox(config, SandboxKind::Docker, "docker").await;
    let mut bubblewrap = sandbox(config, SandboxKind::Bubblewrap, "bubblewrap").await;
    let tries_doors = !arguments.quick;
    match config.sandbox.kind {
        Choice::Auto | Choice::Docker if tries_doors && docker.usable => {
            try_doors(config, SandboxKind::Docker, &mut docker).await;
        }
        Choice::Auto | Choice::Bubblewrap if tries_doors && bubblewrap.usable => {
            try_doors(config, SandboxKind::Bubblewrap, &mut bubblewrap).await;
        }
        Choice::None => {
            printer.warn("`sandbox.kind` is `none`: commands of a repository run with all your rights");
        }
        Choice::Auto | Choice::Docker | Choice::Bubblewrap => {}
    }
    let database = database(config).await;
    let can_heal = git.usable && database.usable && (docker.usable || bubblewrap.usable);
    let parts = [
        git,
        docker,
        bubblewrap,
        on_path("python3", "Python repositories without their own environment"),
        on_path("ruff", "fixing what linters find"),
        on_path("prlimit", "git and the browser (limits of memory and files); install util-linux"),
        browser(config).await,
        database,
        token(HostKind::GitHub, github_token(config).map(|token| token.is_some())),
        token(HostKind::GitLab, gitlab_token(config).map(|token| token.is_some())),
    ];
    if arguments.json {
        printer.json(&parts)?;
    } else {
        printer.data(&table(&parts))?;
    }
    Ok(if can_heal { Exit::Fine } else { Exit::EnvironmentMissing })
}

fn table(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        let mark = if part.usable { "yes" } else { "no" };
        let _ = writeln!(text, "{mark:<4} {:<13} {}", part.name, part.detail);
        if !part.usable {
            let _ = writeln!(text, "     {:<13} needed for {}", "", part.needed_for);
        }
        for Door { name, state, by, remedy } in &part.doors {
            let state = match state {
                State::Shut => "shut",
                State::Weak => "weak",
                State::Open => "OPEN",
            };
            let _ = writeln!(text, "     {name:<13} {state}: {by}");
            if let Some(remedy) = remedy {
                let _ = writeln!(text, "     {:<13} {remedy}", "");
            }
        }
    }
    text
}

fn part<E: Into<anyhow::Error>>(name: &'static str, needed_for: &'static str, found: Result<String, E>) -> Part {
    match found {
        Ok(detail) => Part { name, usable: true, detail, needed_for, doors: Vec::new() },
        Err(error) => {
            Part { name, usable: false, detail: format!("{:#}", error.into()), needed_for, doors: Vec::new() }
        }
    }
}

async fn git() -> Part {
    let version = async { Git::new(GitSettings::default())?.version().await };
    part("git", "everything", version.await)
}

async fn sandbox(config: &Config, kind: SandboxKind, name: &'static str) -> Part {
    let needed_for = "running tests in a sandbox (docker or bubblewrap is sufficient)";
    let settings = match wiring::sandbox_settings(config) {
        Ok(settings) => settings,
        Err(failure) => return part(name, needed_for, Err(failure.error)),
    };
    part(name, needed_for, autoheal_sandbox::check(kind, &settings).await.map(|()| "works".to_owned()))
}

/// Tries each way out of a sandbox that works.
async fn try_doors(config: &Config, kind: SandboxKind, part: &mut Part) {
    let tried = async {
        anyhow::Ok(autoheal_sandbox::doors(kind, &wiring::sandbox_settings(config).map_err(|f| f.error)?).await?)
    };
    match tried.await {
        Ok(doors) => {
            let open = doors.iter().filter(|door| door.state == State::Open).count();
            let weak = doors.iter().filter(|door| door.state == State::Weak).count();
            part.detail = format!("works; of {} ways out, {open} are open and {weak} are weak:", doors.len());
            part.doors = doors;
        }
        Err(error) => part.detail = format!("works; cannot test the ways out of it: {error:#}"),
    }
}

#[cfg(feature = "render")]
async fn browser(config: &Config) -> Part {
    let needed_for = "pages that scripts build";
    match wiring::fetch_settings(config) {
        Ok(settings) => part("browser", needed_for, autoheal_fetch::render::check(&settings.render).await),
        Err(failure) => part("browser", needed_for, Err(failure.error)),
    }
}

#[cfg(not(feature = "render"))]
async fn browser(_: &Config) -> Part {
    part("browser", "pages that scripts build", Err(anyhow::anyhow!("this build has no browser support")))
}

async fn database(config: &Config) -> Part {
    let detail = match &config.database_url {
        // The address may hold a password.
        Some(_) => "configured by --database-url".to_owned(),
        None => "SQLite in the data folder".to_owned(),
    };
    let opened = wiring::open_store(config).await.map(|_| detail).map_err(|failure| failure.error);
    part("database", "everything", opened)
}

/// Reports the token for a code host; `found`: there is one.
fn token(host: HostKind, found: anyhow::Result<bool>) -> Part {
    let (name, needed_for) = match host {
        HostKind::GitHub => ("GitHub token", "private repositories on GitHub, and pushing there"),
        HostKind::GitLab => ("GitLab token", "private repositories on GitLab, and pushing there"),
    };
    let is_set = found.and_then(|found| {
        let missing = || format!("{} is not set", host.token_variable());
        found.then(|| "is set".to_owned()).with_context(missing)
    });
    part(name, needed_for, is_set)
}

fn on_path(program: &'static str, needed_for: &'static str) -> Part {
    let found = std::env::var_os("PATH")
        .and_then(|path| std::env::split_paths(&path).map(|folder| folder.join(program)).find(is_program));
    let found = found.map(|path| path.display().to_string());
    part(program, needed_for, found.ok_or_else(|| anyhow::anyhow!("{program} is not on the PATH")))
}

fn is_program(file: &PathBuf) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}
