//! Variables for the modules that are loaded into the interpreters of flaky tests: these modules record which inputs that change from
//! run to run the tests depend on (the clock, randomness, concurrent work, the network), and hold such an
//! input still or change it. Environment variables select which.

/// The variable with the repository's folder: only what its own code asks for is noted.
pub const TREE: &str = "AUTOHEAL_TREE";

/// The variable with the file that notes go to, a word a line.
pub const TOUCHED: &str = "AUTOHEAL_TOUCHED";

/// The variable with the second at which the clock begins.
pub const CLOCK: &str = "AUTOHEAL_CLOCK";

/// Environment variable with the seed of everything random.
pub const SEED: &str = "AUTOHEAL_SEED";

/// Environment variable with the order in which concurrent tasks proceed: `first` or `late`.
pub const THREADS: &str = "AUTOHEAL_THREADS";

/// The variable that turns the order of tests round, for our reporter of mocha.
pub const ORDER: &str = "AUTOHEAL_ORDER";
