//! A mutant that causes a fault: minimises and writes it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use onnx_model::encode_value;
use onnx_model::proto::{GraphProto, ModelProto};
use prost::Message;

use super::fault::Fault;
use super::process::{self, Job};
use super::{CampaignError, Plan};
use crate::recipe::{Mutant, Recipe};
use crate::seed::Seed;
use crate::stage::Stage;

/// A mutant with its fault.
#[derive(Clone, Debug)]
pub struct Culprit {
    /// The mutant.
    pub recipe: Recipe,
    /// The stage of the fault.
    pub stage: Stage,
    pub fault: Fault,
}

impl Culprit {
    /// The identity of the fault: the location of a panic; for other faults the kind and the operators
    /// of the model.
    pub fn signature(&self, seeds: &[Seed]) -> String {
        let stage = self.stage.name();
        match &self.fault {
            Fault::Panic { place, .. } => format!("{stage} {place}"),
            Fault::Abort(_) | Fault::Signal(_) | Fault::Memory(_) | Fault::Hang => {
                let operators = self
                    .recipe
                    .make(seeds)
                    .map(|mutant| operators(&mutant))
                    .unwrap_or_default();
                format!("{stage} {} {operators}", self.fault.kind())
            }
        }
    }

    /// The same fault with as few edits as possible: edits are removed one by one until none can be
    /// removed.
    ///
    /// # Errors
    /// A worker does not start.
    pub fn smaller(mut self, plan: &Plan, folder: &Path) -> Result<Culprit, CampaignError> {
        let mut position = 0;
        while position < self.recipe.edits.len() {
            let recipe = self.recipe.without(position);
            match same(plan, folder, &recipe, &self)? {
                Some(fault) => {
                    (self.recipe, self.fault) = (recipe, fault);
                    position = 0;
                }
                None => position += 1,
            }
        }
        Ok(self)
    }

    /// Writes `NUMBER.onnx`, `NUMBER.input_K.pb` and the line of `NUMBER.txt`.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write(&self, folder: &Path, number: usize, seeds: &[Seed]) -> Result<PathBuf, CampaignError> {
        let Some(mutant) = self.recipe.make(seeds) else {
            return Ok(folder.to_owned());
        };
        write_files(&mutant, folder, &format!("{number:03}"))?;
        let line = self.line(&mutant, seeds);
        let path = folder.join(format!("{number:03}.txt"));
        put(&path, format!("{line}\n").as_bytes())?;
        Ok(path)
    }

    /// Stage, fault, operators, and the recipe of the mutant.
    fn line(&self, mutant: &Mutant, seeds: &[Seed]) -> String {
        let seed = seeds.get(self.recipe.seed).map_or("", |seed| &seed.name);
        let (edits, operators) = (mutant.edits.join(" + "), operators(mutant));
        let Culprit { recipe, stage, fault } = self;
        format!(
            "{}: {fault} [{operators}] from {seed} by {edits} (recipe {recipe})",
            stage.name()
        )
    }
}

/// Writes the mutant of a recipe: `mutant.onnx` and its inputs.
///
/// # Errors
/// The folder cannot be written.
pub fn write_mutant(recipe: &Recipe, folder: &Path, seeds: &[Seed]) -> Result<(), CampaignError> {
    fs::create_dir_all(folder).map_err(CampaignError::io(format!("make {}", folder.display())))?;
    recipe
        .make(seeds)
        .map_or(Ok(()), |mutant| write_files(&mutant, folder, "mutant"))
}

fn write_files(mutant: &Mutant, folder: &Path, name: &str) -> Result<(), CampaignError> {
    put(&folder.join(format!("{name}.onnx")), &mutant.model)?;
    for (index, (input, value)) in mutant.inputs.iter().enumerate() {
        put(
            &folder.join(format!("{name}.input_{index}.pb")),
            &encode_value(value, input),
        )?;
    }
    Ok(())
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), CampaignError> {
    fs::write(path, bytes).map_err(CampaignError::io(format!("write {}", path.display())))
}

/// Whether another recipe causes the same fault in the same stage.
fn same(
    plan: &Plan,
    folder: &Path,
    recipe: &Recipe,
    known: &Culprit,
) -> Result<Option<Fault>, CampaignError> {
    let ended = process::run(plan, folder, &Job::One(recipe), known.stage)?;
    let died = ended.died.filter(|(in_flight, _)| in_flight.stage == known.stage);
    let panics = ended
        .panics
        .into_iter()
        .filter(|((_, stage), _)| *stage == known.stage);
    let faults = panics.map(|(_, fault)| fault).chain(died.map(|(_, fault)| fault));
    Ok(faults.into_iter().find(|fault| fault.is_like(&known.fault)))
}

/// The operators of the model; empty if the file is not a model.
fn operators(mutant: &Mutant) -> String {
    let model = ModelProto::decode(mutant.model.as_slice()).unwrap_or_default();
    let mut names = BTreeSet::new();
    model.graph.iter().for_each(|graph| collect(graph, &mut names));
    names.into_iter().collect::<Vec<_>>().join(" ")
}

fn collect(graph: &GraphProto, names: &mut BTreeSet<String>) {
    for node in &graph.node {
        names.insert(String::from_utf8_lossy(node.op_type.as_deref().unwrap_or_default()).into_owned());
        node.attribute
            .iter()
            .filter_map(|attribute| attribute.g.as_ref())
            .for_each(|body| collect(body, names));
    }
}
