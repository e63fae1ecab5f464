//! Names of runs on the command line: an id, the beginning of one, or the position from the newest run.

use std::str::FromStr;

use autoheal_store::{RunFilter, RunRow, Store};

use crate::exit::Failure;

/// Maximum number of runs that an error about an ambiguous name lists.
const LISTED: u32 = 5;

/// Name of a run, as the user writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunName {
    /// The newest run; with a number, the run that many before it.
    Last(u32),
    /// An id, or the beginning of one.
    Id(String),
}

impl FromStr for RunName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_of_id = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        let before = match text.strip_prefix("last") {
            Some("") => Some(0),
            Some(rest) => rest.strip_prefix('~').and_then(|number| number.parse().ok()),
            None => None,
        };
        match before {
            Some(before) => Ok(Self::Last(before)),
            None if !text.is_empty() && text.bytes().all(is_of_id) => Ok(Self::Id(text.to_ascii_lowercase())),
            None => {
                Err("expected an id that `autoheal runs` lists, the beginning of one, `last`, or `last~1` for the \
                         run before it"
                    .to_owned())
            }
        }
    }
}

impl RunName {
    /// Returns the run of this name.
    ///
    /// # Errors
    ///
    /// If there is no such run, or several ids begin with the text.
    pub(crate) async fn find(&self, store: &Store) -> Result<RunRow, Failure> {
        let found = match self {
            Self::Last(before) => {
                let runs = store.runs(&RunFilter::newest(before.saturating_add(1))).await?;
                runs.into_iter().nth(usize::try_from(*before).unwrap_or(usize::MAX))
            }
            Self::Id(beginning) => match store.runs_that_begin_with(beginning, LISTED + 1).await?.as_slice() {
                [] => None,
                [run] => store.run(*run).await?,
                several => {
                    let mut message = format!("several runs begin with `{beginning}`; use more of the id:");
                    for (position, run) in several.iter().enumerate() {
                        let is_listed = u32::try_from(position).is_ok_and(|position| position < LISTED);
                        let target = store.run(*run).await?.map(|row| row.target).unwrap_or_default();
                        let line = if is_listed { format!("{run}  {target}") } else { "...".to_owned() };
                        message = format!("{message}\n  {line}");
                    }
                    return Err(Failure::bad_input(message));
                }
            },
        };
        found.ok_or_else(|| {
            Failure::bad_input(match self {
                Self::Last(0) => "there are no runs yet".to_owned(),
                Self::Last(before) => format!("there are not more than {before} runs; `autoheal runs` lists them"),
                Self::Id(id) => format!("there is no run `{id}`; `autoheal runs` lists all runs"),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_positions_or_beginnings_of_ids() {
        let parsed = |text: &str| text.parse::<RunName>().ok();
        assert_eq!(parsed("last"), Some(RunName::Last(0)));
        assert_eq!(parsed("last~12"), Some(RunName::Last(12)));
        assert_eq!(parsed("0192A-f"), Some(RunName::Id("0192a-f".to_owned())));
        for wrong in ["", "last~", "last~-1", "last1", "latest", "0192%"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
