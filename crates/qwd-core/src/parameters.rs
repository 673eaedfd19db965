//! Parameters described once: the struct, its defaults, its documentation, and the table that help texts are made of.

/// One parameter, for help texts and documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The name, as users write it.
    pub name: &'static str,
    /// The default, as written in the source.
    pub default: &'static str,
    /// What it means, its range, and its symbol in the paper.
    pub doc: &'static str,
}

/// Defines a struct of parameters: public fields with documentation and defaults, serde that refuses unknown names, and
/// the table `PARAMETERS`.
#[macro_export]
macro_rules! parameters {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[doc = $doc:literal])+ pub $field:ident: $type:ty = $default:expr,)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $name {
            /// The parameters with their defaults and meanings.
            pub const PARAMETERS: &'static [$crate::parameters::Parameter] = &[
                $($crate::parameters::Parameter {
                    name: stringify!($field),
                    default: stringify!($default),
                    doc: concat!($($doc),+),
                },)*
            ];
        }
    };
}

/// Checks that a parameter is a finite number above 0.
pub fn positive(name: &str, x: f64) -> crate::Result<()> {
    if x.is_finite() && x > 0.0 { Ok(()) } else { Err(crate::Error::param(name, x, "a finite number above 0")) }
}

/// Checks that a parameter is a finite number, at least 0.
pub fn not_negative(name: &str, x: f64) -> crate::Result<()> {
    if x.is_finite() && x >= 0.0 { Ok(()) } else { Err(crate::Error::param(name, x, "a finite number, at least 0")) }
}

/// Checks that a parameter is a share: above 0, at most 1.
pub fn share(name: &str, x: f64) -> crate::Result<()> {
    if x > 0.0 && x <= 1.0 { Ok(()) } else { Err(crate::Error::param(name, x, "a share above 0, at most 1")) }
}
