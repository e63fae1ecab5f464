//! The crate's behaviour through its public API.

#[cfg(test)]
mod healing;
#[cfg(test)]
mod report;
mod syntax_repair;
