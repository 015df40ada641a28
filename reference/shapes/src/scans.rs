//! Scan: bodies over the slices of sequences.

use crate::bodies::Site;
use crate::call::Call;
use crate::extent::Expr;
use crate::fact::{Entry, Fact};
use crate::finding::{Outcome, Stop, parameter};
use crate::walker::Walker;

impl<'m> Walker<'m> {
    pub fn scan(&mut self, site: &Site<'_, 'm>) -> Outcome<Vec<Entry>> {
        let mut call = site.call(&mut self.state);
        let scanned = scanned_inputs(&call)?;
        let Some(count) = site.inputs.len().checked_sub(scanned) else {
            return parameter(format!(
                "`num_scan_inputs` is {scanned}, but the node has {} inputs",
                site.inputs.len()
            ));
        };
        let body = site.graph("body")?;
        let stacked = body.outputs.len().saturating_sub(count);
        for (name, expected) in [
            ("scan_input_axes", scanned),
            ("scan_input_directions", scanned),
            ("scan_output_axes", stacked),
            ("scan_output_directions", stacked),
        ] {
            one_each(&call, name, expected)?;
        }
        let axes = call.ints("scan_input_axes").unwrap_or_else(|| vec![0; scanned]);
        let mut length: Option<Expr> = None;
        let mut slices = Vec::with_capacity(scanned);
        for (at, axis) in (count..site.inputs.len()).zip(axes) {
            let mut slice = site.inputs[at].clone();
            slice.source = None;
            slice.fact = match call.shape(at) {
                Err(_) => Fact::Unknown,
                Ok(mut shape) => {
                    let axis = call.axis(axis, shape.len())?;
                    let extent = shape.remove(axis);
                    length = Some(match &length {
                        Some(length) => call.equal(length, &extent, "lengths of the scanned inputs")?,
                        None => extent,
                    });
                    Fact::of(shape)
                }
            };
            slices.push(slice);
        }
        let length = match length {
            Some(length) => length,
            None => call.unknown(),
        };
        let out_axes = call.ints("scan_output_axes");
        let states = site.inputs[..count].to_vec();
        let (outputs, mut results) = self.settle(site, states, (&[], &slices), 0)?;
        let runs = self.state.symbols.bounds(&length).0 >= 1;
        for (at, output) in outputs.into_iter().skip(count).enumerate() {
            let axis = out_axes
                .as_ref()
                .and_then(|axes| axes.get(at).copied())
                .unwrap_or(0);
            if let Some(shape) = output.fact.shape() {
                site.call(&mut self.state).axis(axis, shape.len() + 1)?;
            }
            let declared = body
                .outputs
                .get(count + at)
                .and_then(|info| info.value_type.as_ref());
            results.push(self.stacked(output, (&length, axis), runs, declared));
        }
        Ok(results)
    }

    /// Scan-8: every input and output has a batch axis 0, and scanned ones a sequence axis 1.
    pub fn scan_8(&mut self, site: &Site<'_, 'm>) -> Outcome<Vec<Entry>> {
        let mut call = site.call(&mut self.state);
        let scanned = scanned_inputs(&call)?;
        let count = site.inputs.len().checked_sub(scanned + 1).ok_or(Stop::Unknown)?;
        let (mut batch, mut length): (Option<Expr>, Option<Expr>) = (None, None);
        let mut given = Vec::with_capacity(count + scanned);
        for at in 1..site.inputs.len() {
            let mut entry = site.inputs[at].clone();
            entry.source = None;
            entry.fact = match call.shape(at) {
                Err(_) => Fact::Unknown,
                Ok(shape) => {
                    let is_scanned = at > count;
                    let shape = if shape.len() > usize::from(is_scanned) {
                        shape
                    } else {
                        return call.wrong_rank(at, shape.len(), "1 or more (2 if it is scanned)");
                    };
                    batch = Some(match &batch {
                        Some(batch) => call.equal(batch, &shape[0], "batches")?,
                        None => shape[0].clone(),
                    });
                    if is_scanned {
                        length = Some(match &length {
                            Some(length) => call.equal(length, &shape[1], "lengths of the scanned inputs")?,
                            None => shape[1].clone(),
                        });
                    }
                    Fact::of(shape[1 + usize::from(is_scanned)..].to_vec())
                }
            };
            given.push(entry);
        }
        let known = |call: &mut Call<'_, '_>, extent: Option<Expr>| extent.unwrap_or_else(|| call.unknown());
        let (batch, length) = (known(&mut call, batch), known(&mut call, length));
        let slices = given.split_off(count);
        let (outputs, results) = self.settle(site, given, (&[], &slices), 0)?;
        let runs = self.state.symbols.bounds(&length).0 >= 1 && self.state.symbols.bounds(&batch).0 >= 1;
        let body = site.graph("body")?;
        let mut all = results;
        for (at, output) in outputs.into_iter().skip(count).enumerate() {
            let declared = body
                .outputs
                .get(count + at)
                .and_then(|info| info.value_type.as_ref());
            all.push(self.stacked(output, (&length, 0), runs, declared));
        }
        let all = all
            .into_iter()
            .map(|output| self.stacked(output, (&batch, 0), true, None));
        Ok(all.collect())
    }
}

/// A list of axes or directions has one entry for each scanned input or output.
fn one_each(call: &Call<'_, '_>, name: &str, expected: usize) -> Outcome<()> {
    let list = call.ints(name).unwrap_or_default();
    if !list.is_empty() && list.len() != expected {
        return parameter(format!(
            "`{name}` has {} entries, expected {expected}",
            list.len()
        ));
    }
    match list.iter().find(|entry| !matches!(entry, 0 | 1)) {
        Some(entry) if name.ends_with("directions") => parameter(format!(
            "`{name}` has {entry}, expected 0 (forward) or 1 (reverse)"
        )),
        _ => Ok(()),
    }
}

/// The attribute `num_scan_inputs`.
fn scanned_inputs(call: &Call<'_, '_>) -> Outcome<usize> {
    let stated = call.int("num_scan_inputs").ok_or(Stop::Unknown)?;
    match usize::try_from(stated) {
        Ok(count @ 1..) => Ok(count),
        _ => parameter(format!("`num_scan_inputs` is {stated}")),
    }
}
