//! A value with where it comes from.

use crate::item::Source;

/// A value that a rule found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found<T> {
    pub(super) value: T,
    pub(super) source: Source,
    /// From 0 to 1.
    pub(super) confidence: f32,
}

impl<T> Found<T> {
    pub(super) const fn new(value: T, source: Source, confidence: f32) -> Self {
        Self { value, source, confidence }
    }

    pub(super) const fn heuristic(value: T, confidence: f32) -> Self {
        Self { value, source: Source::Heuristic, confidence }
    }

    /// A value that the page states: as sure as the way it is written allows.
    pub(super) const fn stated(value: T, source: Source) -> Self {
        let confidence = match source {
            Source::JsonLd => 0.95,
            Source::Microdata => 0.9,
            Source::OpenGraph => 0.75,
            Source::Heuristic | Source::Model => 0.5,
        };
        Self { value, source, confidence }
    }

    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Found<U> {
        Found { value: change(self.value), source: self.source, confidence: self.confidence }
    }

    /// The same, where the change may say that there is nothing.
    pub(super) fn and_then<U>(self, change: impl FnOnce(T) -> Option<U>) -> Option<Found<U>> {
        Some(Found { value: change(self.value)?, source: self.source, confidence: self.confidence })
    }
}
