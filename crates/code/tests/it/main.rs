//! The crate's behaviour through its public API.

#[cfg(test)]
mod healing;
#[cfg(test)]
mod report;
#[cfg(test)]
mod syntax_repair;
