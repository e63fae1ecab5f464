//! Behaviour through the public interface.

mod bad_input;
