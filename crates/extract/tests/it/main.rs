//! Extraction through the public API.

mod hostile;
mod kinds;
