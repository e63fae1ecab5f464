//! A language server that is known.

/// A server that autoheal can use, if this machine has it.
pub(crate) struct Server {
    /// Name of its program.
    pub(crate) name: &'static str,
    /// Arguments with which it speaks the protocol on its standard streams.
    pub(crate) arguments: &'static [&'static str],
    /// It may be one of the project's own packages, which its interpreter runs.
    pub(crate) is_package: bool,
    /// The package that has to bring it, and since which major version that is a server.
    pub(crate) since: Option<(&'static str, u64)>,
    /// Options that it gets at initialization, as JSON.
    pub(crate) options: &'static str,
    /// Settings that it gets afterwards, as JSON.
    pub(crate) settings: &'static str,
}
