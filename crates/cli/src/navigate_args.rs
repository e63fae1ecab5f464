//! Arguments of `autoheal navigate`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  autoheal navigate 'storage size of smallint' --start https://manuals.example/index.html
  autoheal navigate 'oil capacity' --start https://manuals.example/ --year 2012 --make Jeep --vehicle-model Liberty
  autoheal navigate 'default port' --start /usr/share/doc/some-manual/html --json
  autoheal navigate --index --start https://manuals.example/docs/index.html
  autoheal navigate 'torque of the drain plug' --start https://manuals.example/ --context series=C4 --model gemini/gemini-2.0-flash

--model names the language model that chooses the links; without one, a search chooses them. The model of the vehicle is --vehicle-model. \
To allow pages inside your own network, set fetch.allow_private (docs/settings.md).

With an index of the manual, questions are answered from it in milliseconds. It is built with --index, once for each start page, and \
automatically for files. --refresh brings it up to date.

Exit codes: 0 found, 1 not found, 2 invalid input, 3 the page to start at cannot be read.";

// Not documented: clap would take that for the description of the command.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Navigate {
    /// Search terms, or a question
    #[arg(required_unless_present_any = ["index", "refresh"])]
    pub(crate) goal: Option<String>,
    /// Page to start at: an address, a file, or a folder with an `index.html`
    #[arg(long, value_name = "URL|FILE|FOLDER")]
    pub(crate) start: String,
    /// Year of the vehicle, such as 2012
    #[arg(long)]
    pub(crate) year: Option<String>,
    /// Make of the vehicle, such as Jeep
    #[arg(long)]
    pub(crate) make: Option<String>,
    /// Model of the vehicle, such as Liberty
    #[arg(long, value_name = "MODEL")]
    pub(crate) vehicle_model: Option<String>,
    /// Engine of the vehicle, such as V6-3.7L
    #[arg(long)]
    pub(crate) engine: Option<String>,
    /// Further criterion that selects a part of the manual; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub(crate) context: Vec<(String, String)>,
    /// Build the index of the manual first: its pages below the folder of the start page. An interrupted build continues
    #[arg(long, conflicts_with = "no_index")]
    pub(crate) index: bool,
    /// Bring the index up to date first; pages that have not changed are not sent again
    #[arg(long, conflicts_with = "no_index")]
    pub(crate) refresh: bool,
    /// Follow the links even if there is an index
    #[arg(long)]
    pub(crate) no_index: bool,
    /// Maximum number of pages to request for the index
    #[arg(long, value_name = "COUNT", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=200_000))]
    pub(crate) limit_pages: u64,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Navigate {
    /// Returns the values that select a part of the manual, in the order in which manuals of vehicles ask for them.
    pub(crate) fn all_context(&self) -> Vec<(String, String)> {
        let vehicle =
            [("make", &self.make), ("year", &self.year), ("model", &self.vehicle_model), ("engine", &self.engine)];
        let vehicle = vehicle.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
        vehicle.chain(self.context.iter().cloned()).collect()
    }
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
    let parts = parts.filter(|(key, value)| !key.is_empty() && !value.is_empty());
    let owned = parts.map(|(key, value)| (key.to_owned(), value.to_owned()));
    owned.ok_or_else(|| "expected KEY=VALUE, such as series=C4".to_owned())
}
