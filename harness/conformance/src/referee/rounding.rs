//! Runs of the reference with random rounding.

use std::thread;

use run_record::Arithmetic;

use crate::noise::SetSpreads;
use crate::reference::runner::{RunRequest, Runner, RunnerError};
use crate::reference::{Lost, join};

/// Runs with the errors of a class: the first seed, and the number of runs. They are divided among workers at
/// the same time; the result does not depend on their number.
pub(super) fn noisy(
    class: Arithmetic,
    (seed, count): (u64, u32),
    request: &RunRequest,
    parallel: usize,
    reference: &mut Runner,
) -> Result<Result<SetSpreads, Lost>, RunnerError> {
    let shares = shares(seed, count, parallel);
    let options = shares.iter().map(|(seed, _)| rounding(class, *seed).to_vec());
    let options: Vec<_> = options.collect();
    let found = reference.siblings(&options, |runners| {
        thread::scope(|scope| {
            let start = |(runner, (_, runs)): (_, &(u64, u32))| {
                let (runner, runs): (&mut Runner, u32) = (runner, *runs);
                scope.spawn(move || runner.spreads(request, runs))
            };
            let started: Vec<_> = runners.iter_mut().zip(&shares).map(start).collect();
            let joined = started.into_iter().map(|one| match one.join() {
                Ok(found) => found,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect::<Result<Vec<_>, RunnerError>>()
        })
    })?;
    let (mut all, mut refused) = (None, None);
    for part in found {
        match part {
            Ok(part) => join(all.get_or_insert_default(), part),
            Err(Lost::Refused(refusal)) => refused = Some(refusal),
            Err(lost) => return Ok(Err(lost)),
        }
    }
    Ok(match (all, refused) {
        (None, Some(refusal)) => Err(Lost::Refused(refusal)),
        (all, _) => Ok(all.unwrap_or_default()),
    })
}

/// The options of the reference for runs with the errors of a class, of which the first has this seed.
pub(crate) fn rounding(class: Arithmetic, seed: u64) -> [(&'static str, String); 2] {
    [
        ("noise", seed.to_string()),
        ("arithmetic", class.key().to_owned()),
    ]
}

/// Divides runs among workers: the first seed and the number of runs of each.
fn shares(mut seed: u64, count: u32, workers: usize) -> Vec<(u64, u32)> {
    let workers = u32::try_from(workers).unwrap_or(u32::MAX).min(count).max(1);
    let share = |number: u32| {
        let runs = count / workers + u32::from(number < count % workers);
        let share = (seed, runs);
        seed = seed.wrapping_add(runs.into());
        share
    };
    (0..workers).map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_do_not_depend_on_the_number_of_workers() {
        for workers in [1, 3, 8, 100] {
            let shares = shares(5, 8, workers);
            assert_eq!(shares.len(), workers.min(8));
            let seeds = shares
                .iter()
                .flat_map(|(seed, runs)| *seed..*seed + u64::from(*runs));
            assert_eq!(seeds.collect::<Vec<u64>>(), (5..13).collect::<Vec<u64>>());
        }
    }
}
