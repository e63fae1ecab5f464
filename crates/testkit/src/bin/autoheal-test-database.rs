//! Fills a migrated, empty database as after months of use, for tests of what has to be found among much.

#![expect(clippy::print_stderr, reason = "the errors of a command are for the user")]

use std::process::ExitCode;

use autoheal_testkit::large_database::{Size, fill};

const USAGE: &str = "usage: autoheal-test-database URL --sources N --runs N --values N";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| {
        let index = words.iter().position(|word| word == name)?;
        words.get(index + 1)?.parse::<u32>().ok()
    };
    let (Some(url), Some(sources), Some(runs), Some(values)) =
        (words.first(), number("--sources"), number("--runs"), number("--values"))
    else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(url, &Size { sources, runs, values, interval: None }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot fill the database: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(url: &str, size: &Size) -> Result<(), Box<dyn std::error::Error>> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(fill(url, size, i64::try_from(now.as_millis())?))?)
}
