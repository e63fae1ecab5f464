//! Installs each file of a release where nothing else is, and runs it.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, bail, ensure};
use autoheal_testkit::static_site::StaticSite;
use serde_json::Value;

use crate::dist::release::Release;
use crate::dist::script::sha256;
use crate::dist::{files_of, say};
use crate::image;
use crate::process::{command, output_of, run, text_of};

/// The program of a user of the Python package: an old page is learnt, and a new one is read.
const SPIDER: &str = r#"
import autoheal
for markup in ["h1", "h1", "h1", "h2"]:
    page = autoheal.Page(f"<main><{markup} class={markup}>Oak table</{markup}><p>Solid, and made by hand.</p></main>",
                         url="https://shop.example/1", store="spider.heal.db")
    print(page.css("h1::text").get())
"#;

/// Compares two folders, file by file.
pub(super) fn same_bytes(first: &Path, second: &Path) -> anyhow::Result<()> {
    let names = |folder: &Path| -> anyhow::Result<Vec<_>> {
        Ok(files_of(folder)?.iter().filter_map(|file| file.file_name().map(ToOwned::to_owned)).collect())
    };
    ensure!(names(first)? == names(second)?, "the second packing gave other files");
    for name in names(first)? {
        let is_same = fs::read(first.join(&name))? == fs::read(second.join(&name))?;
        ensure!(is_same, "{}: the second packing gave other bytes", name.display());
    }
    say("packed twice: the same bytes");
    Ok(())
}

/// Checks every file in `out`.
pub(super) fn all(release: &Release, out: &Path) -> anyhow::Result<()> {
    run(command(out, "sha256sum").args(["--check", "--quiet", "SHA256SUMS"]))?;
    say("SHA256SUMS: all right");
    script(release, out)?;
    action(release, out)?;
    debian(release, out)?;
    wheel(release, out)?;
    npm(release, out)
}

/// A program answers with the version of the release; nothing of this environment helps it.
fn answers(release: &Release, program: &Path) -> anyhow::Result<()> {
    let printed = text_of(command(Path::new("/"), program).arg("--version").env_clear())?;
    ensure!(printed.trim() == format!("autoheal {}", release.version), "{} says {printed}", program.display());
    Ok(())
}

/// The script, from a server; and an archive that is not the release's.
fn script(release: &Release, out: &Path) -> anyhow::Result<()> {
    let home = tempfile::tempdir()?;
    let runtime = tokio::runtime::Runtime::new()?;
    let site = runtime.block_on(StaticSite::of_folder(out));
    let install = |address: &str| {
        let mut install = command(home.path(), "sh");
        install.arg(out.join("install.sh")).args(["--from", address]).env("HOME", home.path());
        output_of(&mut install)
    };
    let done = install(site.url("").as_str().trim_end_matches('/'))?;
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success() && said.contains("next: "), "install.sh failed: {said}");
    answers(release, &home.path().join(".local/bin/autoheal"))?;
    for file in ["share/man/man1/autoheal-heal.1", "share/zsh/site-functions/_autoheal"] {
        ensure!(home.path().join(".local").join(file).is_file(), "install.sh left no {file}");
    }

    let other = tempfile::tempdir()?;
    let archive = files_of(out)?.into_iter().find(|file| file.to_string_lossy().ends_with(".tar.gz"));
    let name = archive.as_deref().and_then(Path::file_name).context("there is no archive")?.to_owned();
    fs::write(other.path().join(name), "another archive")?;
    let refused = install(&other.path().to_string_lossy())?;
    let said = String::from_utf8_lossy(&refused.stderr);
    ensure!(
        !refused.status.success() && said.contains("Nothing was installed"),
        "another archive was installed: {said}"
    );
    say("install.sh: installs from a server, and refuses another archive");
    Ok(())
}

/// The steps of the action that are scripts, with the files that a runner gives them.
fn action(release: &Release, out: &Path) -> anyhow::Result<()> {
    let action = fs::read_to_string(release.root.join("action.yml"))?;
    let action: Value = serde_saphyr::from_str(&action).context("action.yml is not YAML")?;
    let version = action["inputs"]["version"]["default"].as_str();
    ensure!(version == Some(&release.version), "action.yml installs {version:?}, and this is {}", release.version);

    let runner = tempfile::tempdir()?;
    let paths = runner.path().join("paths");
    let runtime = tokio::runtime::Runtime::new()?;
    let site = runtime.block_on(StaticSite::of_folder(out));
    let steps = action["runs"]["steps"].as_array().context("action.yml has no steps")?;
    let scripts: Vec<&str> = steps.iter().filter_map(|step| step["run"].as_str()).collect();
    let [install, heal] = scripts.as_slice() else { bail!("action.yml has {} scripts", scripts.len()) };
    let bash = |script: &str| {
        let mut bash = command(runner.path(), "bash");
        bash.args(["-c", script]).env("RUNNER_TEMP", runner.path()).env("GITHUB_PATH", &paths);
        bash
    };
    let address = site.url("").to_string();
    run(bash(install)
        .env("DOWNLOADS", address.trim_end_matches('/'))
        .env("SHA256", sha256(&out.join("install.sh"))?)
        .stdout(Stdio::null()))?;
    let refused =
        output_of(bash(install).env("DOWNLOADS", address.trim_end_matches('/')).env("SHA256", "0".repeat(64)))?;
    ensure!(!refused.status.success(), "the action runs another script than that of the checksum");
    let path = format!("{}:{}", fs::read_to_string(&paths)?.trim(), std::env::var("PATH").unwrap_or_default());
    let help =
        text_of(bash(heal).env("PATH", path).env("PATCH", "a.patch").env("ARGUMENTS", "--sandbox docker --help"))?;
    ensure!(help.contains("autoheal ci"), "the action's second step prints: {help}");
    say("action.yml: its scripts install, refuse another script, and start `autoheal ci`");
    Ok(())
}

/// The package for Debian, in a system that has only what every Debian has.
fn debian(release: &Release, out: &Path) -> anyhow::Result<()> {
    let name = format!("autoheal_{}_{}.deb", release.version, release.debian_processor());
    image::run("debian")?;
    let steps = format!(
        "set -e; dpkg --install /dist/{name}; autoheal --version; autoheal check --quick --json | grep '\"name\"'; \
         test -f /usr/lib/systemd/system/autoheal-server.service; test -f /usr/share/bash-completion/completions/autoheal; \
         dpkg --remove autoheal; test ! -e /usr/bin/autoheal"
    );
    let printed = text_of(
        command(out, "docker")
            .args(["run", "--rm", "--network=none", "--volume", &format!("{}:/dist:ro", out.display())])
            .args(["autoheal-debian:local", "sh", "-c", &steps]),
    )?;
    ensure!(printed.contains(&format!("autoheal {}", release.version)), "in Debian: {printed}");
    say(&format!("{name}: installed, run and removed in a bare Debian"));
    Ok(())
}

/// The wheel, in an environment that has nothing but pip.
fn wheel(release: &Release, out: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let environment = folder.path().join("environment");
    let wheel = files_of(out)?.into_iter().find(|file| file.extension().is_some_and(|extension| extension == "whl"));
    let wheel = wheel.context("there is no wheel")?;
    run(command(folder.path(), "python3").args(["-m", "venv"]).arg(&environment))?;
    run(command(folder.path(), environment.join("bin/pip"))
        .args(["install", "--quiet", "--disable-pip-version-check", "--no-index"])
        .arg(&wheel))?;
    answers(release, &environment.join("bin/autoheal"))?;
    let printed = text_of(
        command(folder.path(), environment.join("bin/python"))
            .args(["-c", SPIDER])
            .env_clear()
            .env("HOME", folder.path()),
    )?;
    ensure!(printed.lines().all(|line| line == "Oak table"), "the package reads: {printed}");
    say(&format!("{}: installed and run in an environment without anything else", wheel.display()));
    Ok(())
}

/// Both packages for npm, in an empty folder.
fn npm(release: &Release, out: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let names = ["autoheal".to_owned(), format!("autoheal-linux-{}", release.npm_processor())];
    let files = names.iter().map(|name| out.join(format!("{name}-{}.tgz", release.version)));
    fs::write(folder.path().join("package.json"), "{\"private\": true}")?;
    run(command(folder.path(), "npm")
        .args(["install", "--silent", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"])
        .args(files))?;
    let program = folder.path().join("node_modules/.bin/autoheal");
    let printed = text_of(command(folder.path(), &program).arg("--version"))?;
    ensure!(printed.trim() == format!("autoheal {}", release.version), "by npm: {printed}");
    let failed = output_of(command(folder.path(), &program).arg("--no-such-flag"))?;
    ensure!(failed.status.code() == Some(2), "by npm the exit code of a wrong flag is {}", failed.status);
    say("npm packages: installed and run in an empty folder");
    Ok(())
}
