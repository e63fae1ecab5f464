//! The files that users install, all from one build: an archive, a Debian package, a wheel, two packages for npm, a script that
//! installs the archive, the bill of materials, and the checksums of them.
//!
//! The same programs give the same bytes: times are the commit's, names are sorted, owners are root, and no path of the machine is in
//! the programs.
//!
//! # Layout
//!
//! - `release`: what is released: version, platform, time; `build`: the programs
//! - `tree`: the files that lie below a prefix, such as `/usr`, wherever they are installed
//! - `bill`: the dependencies, with their licences
//! - `archive`, `debian`, `wheel`, `npm`, `script`: one file for each form
//! - `check`: installs each where nothing else is, and runs it

mod archive;
mod bill;
mod build;
mod check;
mod debian;
mod npm;
mod release;
mod script;
mod tree;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use url::Url;

use crate::dist::release::Release;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folder for the files; made when missing, and emptied before
    #[arg(long, value_name = "FOLDER", default_value = "target/dist")]
    out: PathBuf,
    /// Address of the folder in which the files will be published, for install.sh
    #[arg(long, value_name = "URL")]
    address: Option<Url>,
    /// Oldest version of glibc that the programs run with
    #[arg(long, value_name = "VERSION", default_value = "2.28")]
    glibc: String,
    /// Pack the programs that a development build has left, for this machine's glibc: for tests of the packages
    #[arg(long)]
    dev: bool,
    /// Pack twice and compare the bytes, then install each file where nothing else is, and run it
    #[arg(long)]
    check: bool,
}

/// Makes the files, and says how large each is.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let release = Release::of(root, &options.glibc, options.dev)?;
    let programs = build::programs(&release)?;
    let out = std::path::absolute(&options.out)?;
    pack(&release, &programs, options.address.as_ref(), &out)?;
    for file in files_of(&out)? {
        say(&format!("{:>12} bytes  {}", fs::metadata(&file)?.len(), file.display()));
    }
    if options.check {
        let again = tempfile::tempdir()?;
        pack(&release, &programs, options.address.as_ref(), again.path())?;
        check::same_bytes(&out, again.path())?;
        check::all(&release, &out)?;
    }
    Ok(())
}

fn pack(release: &Release, programs: &build::Programs, address: Option<&Url>, out: &Path) -> anyhow::Result<()> {
    // Files of an earlier release must not be taken for this one's.
    if out.exists() {
        fs::remove_dir_all(out).with_context(|| format!("cannot empty {}", out.display()))?;
    }
    fs::create_dir_all(out)?;
    let work = tempfile::tempdir()?;
    let bill = bill::Bill::of(release)?;
    fs::write(out.join(format!("{}.cdx.json", release.name())), bill.document(release)?)?;
    let licences = bill.licences();
    let tree = tree::lay_out(release, programs, &licences, &work.path().join("tree"))?;
    let archive = archive::pack(release, &tree, out)?;
    debian::pack(release, &tree, &work.path().join("debian"), out)?;
    wheel::pack(release, programs, &licences, work.path(), out)?;
    npm::pack(release, programs, &licences, &work.path().join("npm"), out)?;
    script::write(release, &archive, address, out)?;
    script::sums(out)
}

/// The files of a folder, sorted by name.
fn files_of(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

#[expect(clippy::print_stdout, reason = "the developer who typed the command reads it")]
fn say(text: &str) {
    println!("{text}");
}
