//! A case in another form.

use backend_api::protocol::External;
use harness_compare::Envelopes;
use harness_corpus::form::Form;
use onnx_model::Model;

use super::{Case, CaseError, DataSet};
use crate::forms::{Set, Subject, make};

impl Case {
    /// The variant of this case in a form; `model` is its own model. The id, the tolerance and the
    /// exercised operators are those of the plain case.
    pub(super) fn in_form(self, model: &Model, form: Form) -> Result<Case, CaseError> {
        let sets: Vec<Set> = self.data_sets.iter().map(Set::of).collect();
        let changed = make(form, &Subject { model, sets: &sets })?;
        let data_set = |set: Set| DataSet {
            name: set.name,
            inputs: set.inputs,
            expected: set.expected,
            asked: set.asked,
            // The answer was that to the plain case.
            settled: false,
            draws: None,
            envelopes: Envelopes::default(),
            disagreement: None,
            open: Vec::new(),
        };
        Ok(Case {
            model: changed.model.encode().into(),
            external: External::of(&changed.model),
            exercises: Vec::new(),
            data_sets: changed.sets.into_iter().map(data_set).collect(),
            ..self
        })
    }
}

impl Set {
    /// A data set of a case.
    pub fn of(set: &DataSet) -> Set {
        Set {
            name: set.name.clone(),
            inputs: set.inputs.clone(),
            expected: set.expected.clone(),
            drawn: set.draws.is_some(),
            asked: set.asked,
        }
    }
}
