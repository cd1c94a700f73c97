//! Closed sets of words.

/// A closed set of words: as JSON, on the command line and in messages the same.
macro_rules! words {
    ($(#[$about:meta])* $name:ident, $noun:literal: $($(#[$one:meta])* $variant:ident = $word:literal),* $(,)?) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        pub enum $name { $($(#[$one])* #[serde(rename = $word)] $variant,)* }

        impl $name {
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let known = [$($word,)*].map(|word| format!("`{word}`")).join(", ");
                match text {
                    $($word => Ok($name::$variant),)*
                    _ => Err(format!("unknown {} `{text}`; use one of {known}", $noun)),
                }
            }
        }
    };
}

pub(super) use words;
