//! What the model of a part declares about its values.
//!
//! A cut adds inputs and outputs that the file does not have, and a backend may depend on what a model
//! declares: one fails on a stale `value_info`, another one needs the shape of every output. So a part has
//! several forms, and a search uses the first in which the complete model fails as the file does.

/// A form of the models of parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// Whether inputs, outputs and inner values have the types that the file declares.
    pub keeps: bool,
    /// The shapes that are added.
    pub adds: Shapes,
}

/// The shapes that are added to a model where none is declared: those of the values that the reference
/// computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shapes {
    /// No shapes.
    None,
    /// Those of outputs.
    Outputs,
    /// Those of outputs and of inner values.
    All,
}

impl Form {
    /// Neither declarations of the file nor added shapes.
    pub const BARE: Form = Form {
        keeps: false,
        adds: Shapes::None,
    };

    /// All forms, in the order in which they are tried.
    pub fn all() -> impl Iterator<Item = Form> {
        let shapes = [Shapes::None, Shapes::Outputs, Shapes::All];
        [false, true]
            .into_iter()
            .flat_map(move |keeps| shapes.map(|adds| Form { keeps, adds }))
    }
}
