//! The crate's behaviour through its public API.

#[cfg(test)]
mod healing;
#[cfg(test)]
mod javascript;
#[cfg(test)]
mod logic_families_node;
#[cfg(test)]
mod logic_programs;
#[cfg(test)]
mod logic_programs_node;
#[cfg(test)]
mod logic_search;
#[cfg(test)]
mod logic_search_node;
#[cfg(test)]
mod pills;
#[cfg(test)]
mod report;
#[cfg(test)]
mod report_node;
#[cfg(test)]
mod syntax_repair;
