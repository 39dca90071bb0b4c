//! Errors that the user can mend.

/// Something that the user asked for cannot be done. Its text is one line, which says what to do instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserError(pub String);

impl std::fmt::Display for UserError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UserError {}
