//! The verdict of the judge in the place of that of a tolerance.

use harness_compare::{Comparison, Mismatch, sentence};
use run_record::standing::Standing;
use run_record::{Explanation, MismatchKind, Verdict};

/// The verdict on an answer, by the evidence that was attached to its outputs.
pub fn standing(comparison: &Comparison) -> Standing {
    let mismatch = comparison.mismatch.as_ref();
    let verdict = mismatch.map_or(Verdict::Pass, |mismatch| Verdict::Mismatch(mismatch.kind));
    Standing::of_answer(verdict, &comparison.outputs)
}

/// Why an answer is wrong or cannot be judged: what the judge says of the first such output, or the
/// difference; empty for any other standing.
pub fn reason(standing: Standing, comparison: &Comparison) -> String {
    let said = comparison.outputs.iter().find_map(|output| {
        let explanation = output.judgement.as_ref().map(|judgement| &judgement.explanation);
        match (explanation, standing) {
            // Of texts nothing is known but that they differ.
            (None, Standing::Wrong) if output.differing > 0 => Some(sentence(output)),
            (Some(Explanation::Nothing(reason)), Standing::Wrong)
            | (Some(Explanation::Open(reason)), Standing::CannotJudge) => {
                Some(format!("`{}`: {reason}", output.name))
            }
            (Some(Explanation::Arithmetic(class)), Standing::LessAccurate(_)) if !class.passes() => {
                Some(format!("`{}`: only {} explain it", output.name, class.words()))
            }
            _ => None,
        }
    });
    let mismatch = || {
        comparison
            .mismatch
            .as_ref()
            .map(|mismatch| mismatch.reason.clone())
    };
    match standing {
        Standing::Wrong => said.or_else(mismatch).unwrap_or_default(),
        Standing::CannotJudge => said.unwrap_or_default(),
        standing if standing.is_fault() => said.unwrap_or_default(),
        _ => String::new(),
    }
}

/// Replaces the disagreement of a comparison by that of the judge: none if an honest arithmetic explains
/// the answer. A difference in names, types or shapes stays.
pub fn settle(comparison: &mut Comparison) {
    let structural = |mismatch: &Mismatch| mismatch.kind != MismatchKind::Numeric;
    let judged = comparison.outputs.iter().any(|output| output.judgement.is_some());
    if !judged || comparison.mismatch.as_ref().is_some_and(structural) {
        return;
    }
    let standing = standing(comparison);
    comparison.open = standing == Standing::CannotJudge;
    let differs = comparison.open || standing.is_fault();
    comparison.mismatch = differs.then(|| Mismatch {
        kind: MismatchKind::Numeric,
        reason: reason(standing, comparison),
    });
}
