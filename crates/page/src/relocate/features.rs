//! Rows of named numbers: what the weights and the trees see.

/// Declares a row of features. To add one: a line here in the row's file, its value where the row is filled, then train again
/// (docs/relocation.md).
macro_rules! features {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $feature:ident),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default)]
        pub(crate) struct $name {
            $($(#[$doc])* pub(crate) $feature: f32,)+
        }

        impl $name {
            /// Names of the features, in their order.
            pub(crate) const NAMES: &[&str] = &[$(stringify!($feature)),+];

            /// The features in their order.
            pub(crate) fn row(&self) -> Vec<f32> {
                vec![$(self.$feature),+]
            }
        }
    };
}

pub(crate) use features;
