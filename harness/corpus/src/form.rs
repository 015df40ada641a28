//! The forms of variants, with their names in case ids: `test_abs~function`.

use std::fmt;
use std::str::FromStr;

use run_record::VariantKind;

/// The maximum number of inputs, and of outputs, that have a separate form each.
pub const MAX_SEPARATE: usize = 4;

/// A modification of a model that does not change its outputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// Every input is an initializer and not an input of the graph.
    AllInitializers,
    /// The fed input of this number is an initializer and not an input of the graph.
    OneInitializer(usize),
    /// Every input has an initializer with its value and is not fed.
    DefaultInputs,
    /// Every input has an initializer with another value and is fed.
    OverriddenDefaults,
    /// Every initializer is an input that is fed.
    NoInitializers,
    /// Every extent of inputs and outputs is a symbolic dimension.
    SymbolicShapes,
    /// Only the ranks of inputs and outputs are declared.
    UnknownShapes,
    /// No type of an intermediate value is declared.
    UndeclaredInner,
    /// One session gets inputs with other extents, and then those of the case again.
    DynamicShapes,
    /// The optional output of this number is removed from its node and from the graph.
    WithoutOutput(usize),
    /// The output of this number is computed but is not an output of the graph.
    UnlistedOutput(usize),
    /// The nodes are in both branches of an If whose condition is an initializer, true.
    ConstantBranch,
    /// The nodes are in both branches of an If whose condition is fed, false.
    FedBranch,
    /// The nodes are in a model-local function.
    Function,
    /// An Identity follows each input.
    InputIdentity,
    /// An Identity precedes each output.
    OutputIdentity,
    /// Each output of one element passes through a Reshape that adds an axis.
    Reshape,
    /// Each output of one element passes through an Unsqueeze.
    Unsqueeze,
}

/// The name of an unknown form.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a form of variants")]
pub struct UnknownForm(String);

impl Form {
    /// The kind under which it is counted.
    pub fn kind(self) -> VariantKind {
        match self {
            Form::AllInitializers
            | Form::OneInitializer(_)
            | Form::DefaultInputs
            | Form::OverriddenDefaults
            | Form::NoInitializers => VariantKind::Initializers,
            Form::SymbolicShapes | Form::UnknownShapes | Form::UndeclaredInner | Form::DynamicShapes => {
                VariantKind::Shapes
            }
            Form::WithoutOutput(_) | Form::UnlistedOutput(_) => VariantKind::Outputs,
            Form::ConstantBranch | Form::FedBranch => VariantKind::Branch,
            Form::Function => VariantKind::Function,
            Form::InputIdentity | Form::OutputIdentity => VariantKind::Identity,
            Form::Reshape | Form::Unsqueeze => VariantKind::Reshape,
        }
    }
}

/// The name in an id, after the mark: `initializers-all`. It starts with the key of its kind.
impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::OneInitializer(number) => write!(f, "initializers-{number}"),
            Form::WithoutOutput(number) => write!(f, "outputs-without-{number}"),
            Form::UnlistedOutput(number) => write!(f, "outputs-unlisted-{number}"),
            Form::AllInitializers => f.write_str("initializers-all"),
            Form::DefaultInputs => f.write_str("initializers-default"),
            Form::OverriddenDefaults => f.write_str("initializers-overridden"),
            Form::NoInitializers => f.write_str("initializers-none"),
            Form::SymbolicShapes => f.write_str("shapes-symbolic"),
            Form::UnknownShapes => f.write_str("shapes-unknown"),
            Form::UndeclaredInner => f.write_str("shapes-undeclared"),
            Form::DynamicShapes => f.write_str("shapes-dynamic"),
            Form::ConstantBranch => f.write_str("branch-constant"),
            Form::FedBranch => f.write_str("branch-fed"),
            Form::Function => f.write_str("function"),
            Form::InputIdentity => f.write_str("identity-inputs"),
            Form::OutputIdentity => f.write_str("identity-outputs"),
            Form::Reshape => f.write_str("reshape"),
            Form::Unsqueeze => f.write_str("reshape-unsqueeze"),
        }
    }
}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(text: &str) -> Result<Form, UnknownForm> {
        let numbered = |number| {
            [
                Form::OneInitializer(number),
                Form::WithoutOutput(number),
                Form::UnlistedOutput(number),
            ]
        };
        let known = [
            Form::AllInitializers,
            Form::DefaultInputs,
            Form::OverriddenDefaults,
            Form::NoInitializers,
            Form::SymbolicShapes,
            Form::UnknownShapes,
            Form::UndeclaredInner,
            Form::DynamicShapes,
            Form::ConstantBranch,
            Form::FedBranch,
            Form::Function,
            Form::InputIdentity,
            Form::OutputIdentity,
            Form::Reshape,
            Form::Unsqueeze,
        ];
        let mut all = known.into_iter().chain((0..MAX_SEPARATE).flat_map(numbered));
        all.find(|form| form.to_string() == text)
            .ok_or_else(|| UnknownForm(text.to_owned()))
    }
}
