//! The table of forms: which may apply to a case, and the function that makes each.

use harness_corpus::form::{Form, MAX_SEPARATE};

use super::{
    Changed, NotApplicable, Subject, branch, dynamic, function, identity, initializers, outputs, reshape,
    shapes,
};

/// The forms that may apply to a case, in the order of their kinds.
pub fn forms(subject: &Subject<'_>) -> Vec<Form> {
    let fed = subject.sets.first().map_or(0, |set| set.inputs.len());
    // For a single input, `one` equals `all`.
    let one_by_one = if fed > 1 { fed.min(MAX_SEPARATE) } else { 0 };
    let outputs = subject.model.graph.outputs.len().min(MAX_SEPARATE);
    let mut forms = vec![Form::AllInitializers];
    forms.extend((0..one_by_one).map(Form::OneInitializer));
    forms.extend([
        Form::DefaultInputs,
        Form::OverriddenDefaults,
        Form::NoInitializers,
        Form::SymbolicShapes,
        Form::UnknownShapes,
        Form::UndeclaredInner,
        Form::DynamicShapes,
    ]);
    forms.extend((0..outputs).map(Form::WithoutOutput));
    forms.extend((0..outputs).map(Form::UnlistedOutput));
    forms.extend([
        Form::ConstantBranch,
        Form::FedBranch,
        Form::Function,
        Form::InputIdentity,
        Form::OutputIdentity,
        Form::Reshape,
        Form::Unsqueeze,
    ]);
    forms
}

/// The variant of a case in this form.
///
/// # Errors
/// The reason why the form does not apply to the case.
pub fn make(form: Form, subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    if subject.sets.iter().any(|set| set.drawn) {
        return Err(NotApplicable::Drawn);
    }
    match form {
        Form::AllInitializers => initializers::all(subject),
        Form::OneInitializer(number) => initializers::one(subject, number),
        Form::DefaultInputs => initializers::defaults(subject),
        Form::OverriddenDefaults => initializers::overridden(subject),
        Form::NoInitializers => initializers::none(subject),
        Form::SymbolicShapes => shapes::symbolic(subject),
        Form::UnknownShapes => shapes::unknown(subject),
        Form::UndeclaredInner => shapes::undeclared(subject),
        Form::DynamicShapes => dynamic::dynamic(subject),
        Form::WithoutOutput(number) => outputs::without(subject, number),
        Form::UnlistedOutput(number) => outputs::unlisted(subject, number),
        Form::ConstantBranch => branch::constant(subject),
        Form::FedBranch => branch::fed(subject),
        Form::Function => function::function(subject),
        Form::InputIdentity => identity::of_inputs(subject),
        Form::OutputIdentity => identity::of_outputs(subject),
        Form::Reshape => reshape::reshape(subject),
        Form::Unsqueeze => reshape::unsqueeze(subject),
    }
}
