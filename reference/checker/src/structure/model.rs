//! Rules of the whole model: version of the format, imports, features that require a version.

use onnx_model::Oddity;

use super::Structure;
use crate::problem::Problem;
use crate::resolve::{Imports, shown};

/// The IR version that added the types of attributes.
const ATTRIBUTE_TYPES: i64 = 2;
/// The IR version that added operator sets to models.
const IMPORTS: i64 = 3;
/// The IR version that added functions to models.
const FUNCTIONS: i64 = 8;
/// The IR version that added defaults of function attributes.
const ATTRIBUTE_DEFAULTS: i64 = 9;
/// The IR version that added overloads of functions.
const OVERLOADS: i64 = 10;

impl Structure<'_, '_> {
    pub(super) fn header(&mut self) {
        let found = self.model.ir_version;
        let newest = onnx_schema::releases()
            .iter()
            .map(|release| release.ir_version)
            .max()
            .unwrap_or_default();
        if !(1..=i64::from(newest)).contains(&found) {
            self.sink.push("", None, Problem::IrVersion { found, newest });
        }
        self.imports("", &self.model.opset_imports);
        self.features();
        for oddity in self.model.oddities.iter().cloned() {
            let problem = match oddity {
                Oddity::RepeatedKey { path, key } => Problem::MetadataTwice { path, key },
                Oddity::NegativeExtent { path, axis, extent } => {
                    Problem::ExtentNegative { path, axis, extent }
                }
                Oddity::UntypedAttribute { .. } if found < ATTRIBUTE_TYPES => continue,
                Oddity::UntypedAttribute { path } => Problem::AttributeUntyped { path },
                Oddity::DomainAlias { path } => Problem::DomainAlias { path },
            };
            self.sink.push("", None, problem);
        }
    }

    /// Checks the opset of every imported domain of ONNX.
    pub(super) fn imports(&mut self, place: &str, imports: &Imports) {
        for (domain, &opset) in imports {
            if let Some(newest) = onnx_schema::newest_opset(domain)
                && !(1..=i64::from(newest)).contains(&opset)
            {
                let domain = shown(domain);
                self.sink.push(
                    place,
                    None,
                    Problem::OpsetUnknown {
                        domain,
                        opset,
                        newest,
                    },
                );
            }
        }
    }

    fn features(&mut self) {
        let functions = &self.model.functions;
        let imports = &self.model.opset_imports;
        // A file without them has operators of opset 1.
        let implied = imports.len() == 1 && imports.get("") == Some(&1);
        let used = [
            ("operator sets", IMPORTS, !implied),
            ("functions", FUNCTIONS, !functions.is_empty()),
            (
                "defaults of function attributes",
                ATTRIBUTE_DEFAULTS,
                functions
                    .iter()
                    .any(|function| !function.attribute_defaults.is_empty()),
            ),
            (
                "overloads of functions",
                OVERLOADS,
                functions.iter().any(|function| !function.overload.is_empty()),
            ),
        ];
        let found = self.model.ir_version;
        for (feature, needs, _) in used.into_iter().filter(|&(_, needs, used)| used && found < needs) {
            self.sink.push(
                "",
                None,
                Problem::IrFeature {
                    feature,
                    needs,
                    found,
                },
            );
        }
    }
}
