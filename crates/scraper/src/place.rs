//! A place of a program.

/// A place of a program that reads a field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Function, with the classes and functions around it; the pages that it reads share what is learnt.
    pub function: String,
    /// File of the program.
    pub file: String,
    /// Line of the file, from 1.
    pub line: u32,
    /// Name of the variable or key that takes the value; empty without one.
    pub name: String,
}
