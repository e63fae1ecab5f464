use std::path::PathBuf;

use anyhow::Context as _;
use autoheal_forge::host::HostKind;
use autoheal_forge::{Git, GitSettings};
use autoheal_sandbox::{Choice, Door, SandboxKind, State};
use autoheal_server::http::has_dashboard;
use serde::Serialize;

use crate::args::Check;
use crate::config::{Config, github_token, gitlab_token};
use crate::exit::{Exit, Failure};
use crate::models::is_model_set;
use crate::printer::Printer;
use crate::text::{Text, Tone};
use crate::wiring;

/// Consequence of a part that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Need {
    /// Nothing can be healed without it.
    Required,
    /// Only the features named in `needed_for` are missing.
    Optional,
    /// Another part does the same, or the settings exclude it.
    Spare,
}

/// Result for one part.
#[derive(Debug, Serialize)]
struct Part {
    name: &'static str,
    usable: bool,
    need: Need,
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
    let (is_docker_spare, is_bubblewrap_spare) = match config.sandbox.kind {
        Choice::Auto => (bubblewrap.usable, docker.usable),
        Choice::Docker => (false, true),
        Choice::Bubblewrap => (true, false),
        Choice::None => (true, true),
    };
    for (part, is_spare) in [(&mut docker, is_docker_spare), (&mut bubblewrap, is_bubblewrap_spare)] {
        part.need = if is_spare { Need::Spare } else { Need::Required };
    }
    let parts = [
        git().await.required(),
        database(config).await.required(),
        docker,
        bubblewrap,
        on_path("prlimit", "git and the browser (limits of memory and files); install util-linux"),
        on_path("python3", "Python repositories without their own environment"),
        on_path("ruff", "fixing what linters find in Python"),
        on_path("node", "JavaScript repositories, unless Docker is the sandbox"),
        on_path("cargo", "Rust repositories, unless Docker is the sandbox"),
        browser(config).await,
        model(config),
        dashboard(),
        token(HostKind::GitHub, github_token(config).map(|token| token.is_some())),
        token(HostKind::GitLab, gitlab_token(config).map(|token| token.is_some())),
    ];
    let missing = parts.iter().find(|part| part.need == Need::Required && !part.usable);
    if arguments.json {
        printer.json(&parts)?;
    } else {
        printer.show(listing(&parts, config))?;
        printer.say(next_command(missing));
    }
    Ok(if missing.is_none() { Exit::Fine } else { Exit::EnvironmentMissing })
}

fn listing(parts: &[Part], config: &Config) -> Text {
    let mut text = Text::new();
    for part in parts {
        let (tone, mark) = match (part.usable, part.need) {
            (true, _) => (Tone::Good, "yes"),
            (false, Need::Required) => (Tone::Bad, "NO"),
            (false, Need::Optional) => (Tone::Caution, "no"),
            (false, Need::Spare) => (Tone::Faint, "-"),
        };
        let (detail, need) = match (part.usable, part.need) {
            (true, _) => (part.detail.as_str(), None),
            (false, Need::Required) => (part.detail.as_str(), Some(format!("required for {}", part.needed_for))),
            (false, Need::Optional) => (part.detail.as_str(), Some(format!("needed only for {}", part.needed_for))),
            (false, Need::Spare) if config.sandbox.kind == Choice::Auto => {
                ("not needed: the other sandbox works", None)
            }
            (false, Need::Spare) => ("not needed: the setting sandbox.kind excludes it", None),
        };
        text.push(Text::new().with(tone, mark).plain(format!(
            "{:<w$}{:<13} {detail}\n",
            "",
            part.name,
            w = 5 - mark.len()
        )));
        if let Some(need) = need {
            text.push(Text::new().with(Tone::Faint, format!("{:<19}{need}", "")).plain("\n"));
        }
        for Door { name, state, by, remedy } in &part.doors {
            let (tone, state) = match state {
                State::Shut => (Tone::Plain, "shut"),
                State::Weak => (Tone::Caution, "weak"),
                State::Open => (Tone::Bad, "OPEN"),
            };
            text.push(Text::new().plain(format!("     {name:<13} ")).with(tone, state).plain(format!(": {by}\n")));
            if let Some(remedy) = remedy {
                text.push(&format!("     {:<13} {remedy}\n", ""));
            }
        }
    }
    text
}

/// Returns the line with the one command to run next.
fn next_command(missing: Option<&Part>) -> Text {
    let command = match missing {
        Some(part) => {
            return Text::new()
                .plain(format!("autoheal cannot heal repositories here without {}; then, again: ", part.name))
                .with(Tone::Strong, "autoheal check");
        }
        None if std::path::Path::new(".git").exists() => "autoheal heal .",
        None => "autoheal init",
    };
    Text::from("autoheal can heal repositories here; next: ").with(Tone::Strong, command)
}

impl Part {
    fn required(self) -> Self {
        Self { need: Need::Required, ..self }
    }
}

fn part<E: Into<anyhow::Error>>(name: &'static str, needed_for: &'static str, found: Result<String, E>) -> Part {
    let (usable, detail) = match found {
        Ok(detail) => (true, detail),
        Err(error) => (false, format!("{:#}", error.into())),
    };
    Part { name, usable, need: Need::Optional, detail, needed_for, doors: Vec::new() }
}

async fn git() -> Part {
    let version = async { Git::new(GitSettings::default())?.version().await };
    part("git", "everything", version.await)
}

async fn sandbox(config: &Config, kind: SandboxKind, name: &'static str) -> Part {
    let needed_for = "running tests in a sandbox (docker or bubblewrap is sufficient)";
    let found = match wiring::sandbox_settings(config) {
        Ok(settings) => {
            let checked = autoheal_sandbox::check(kind, &settings).await;
            checked.map(|()| "works".to_owned()).map_err(anyhow::Error::new)
        }
        Err(failure) => Err(failure.error),
    };
    part(name, needed_for, found)
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
            part.detail = format!("works; ways out: {} tested, {open} open, {weak} weak", doors.len());
            part.doors = doors;
        }
        Err(error) => part.detail = format!("works; cannot test the ways out of it: {error:#}"),
    }
}

/// Reports the language models that the settings name, without a request.
fn model(config: &Config) -> Part {
    let names = config.llm.model.as_str();
    let found = match &config.llm.replay {
        Some(path) => Ok(format!("answers are replayed from {}", path.display())),
        None if is_model_set(config) => Ok(format!("{names} (not tested)")),
        None => Err(anyhow::anyhow!("no model is configured; set one with --model")),
    };
    part("model", "what rules and search cannot heal", found)
}

fn dashboard() -> Part {
    let found = has_dashboard().then(|| "built in".to_owned());
    let missing = || "not built in; see \"The dashboard\" in docs/server.md".to_owned();
    part("dashboard", "the web page of `autoheal serve`", found.with_context(missing))
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
