//! The table of rules: one row for each operator and range of versions, one file for each family.

mod arithmetic;
mod attention;
pub(crate) mod blocks;
mod contrib;
mod elementwise;
mod generators;
mod image;
mod indexing;
mod matrices;
mod ml;
mod movement;
mod normalization;
mod quantization;
mod rearranged;
mod recurrent;
mod reductions;
mod reshaping;
mod resizing;
mod sequences;
mod signal;
mod text;
mod training;
mod trees;
mod windows;

use std::collections::HashMap;
use std::sync::OnceLock;

use onnx_schema::OperatorSchema;

use crate::call::ShapeRule;

/// The rule of the versions of an operator from this one on, until the next row of the operator.
pub(crate) struct Row {
    name: &'static str,
    since: u32,
    rule: ShapeRule,
}

pub(crate) const fn row(name: &'static str, since: u32, rule: ShapeRule) -> Row {
    Row { name, since, rule }
}

/// The families of each domain. If, Loop, Scan and SequenceMap are in `bodies`.
const FAMILIES: &[(&str, &[&[Row]])] = &[
    (
        "",
        &[
            attention::ROWS,
            elementwise::ROWS,
            generators::ROWS,
            image::ROWS,
            indexing::ROWS,
            matrices::ROWS,
            movement::ROWS,
            normalization::ROWS,
            quantization::ROWS,
            recurrent::ROWS,
            reductions::ROWS,
            reshaping::ROWS,
            resizing::ROWS,
            sequences::ROWS,
            signal::ROWS,
            text::ROWS,
            windows::ROWS,
        ],
    ),
    ("", contrib::STANDARD),
    (onnx_schema::CONTRIB_DOMAIN, contrib::FAMILIES),
    ("ai.onnx.ml", &[ml::ROWS]),
    ("ai.onnx.preview", &[attention::PREVIEW]),
    ("ai.onnx.preview.training", &[training::ROWS]),
];

/// The rules by domain and name, oldest first.
type Table = HashMap<(&'static str, &'static str), Vec<(u32, ShapeRule)>>;

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table::new();
        for (domain, families) in FAMILIES {
            for row in families.iter().copied().flatten() {
                table
                    .entry((domain, row.name))
                    .or_default()
                    .push((row.since, row.rule));
            }
        }
        table
            .values_mut()
            .for_each(|rows| rows.sort_by_key(|(since, _)| *since));
        table
    })
}

/// The rule of an operator version.
pub(crate) fn rule(schema: &OperatorSchema) -> Option<ShapeRule> {
    let rows = table().get(&(schema.domain, schema.name))?;
    rows.iter()
        .rev()
        .find(|(since, _)| *since <= schema.since)
        .map(|(_, rule)| *rule)
}

#[cfg(test)]
mod tests {
    use onnx_schema::OperatorSchema;

    use super::{rule, table};
    use crate::bodies::HAS_BODIES;

    /// Operators of ONNX Runtime without a rule: nothing here evaluates them, and their outputs depend on
    /// layouts of one device, on bodies, or on formats that no text defines.
    const WITHOUT: &[&str] = &[
        "MultilevelCropAndResize_TRT",
        "PyramidROIAlign_TRT",
        "AttnLSTM",
        "BeamSearch",
        "ConvStateReplay",
        "DecoderAttention",
        "DequantizeBFP",
        "DynamicSparseAttention",
        "DynamicTimeWarping",
        "EPContext",
        "EngramGate",
        "GatedAdd",
        "GatedDeltaNetStateReplay",
        "GatedRelativePositionBias",
        "GatherPacked",
        "GemmaRotaryEmbedding",
        "GreedySearch",
        "HyperConnectionLowRankMix",
        "HyperConnectionPostMix",
        "HyperConnectionPreMix",
        "Irfft",
        "IsAllFinite",
        "Mamba2Verify",
        "MatMulBlockQuantizedFp4Weight",
        "MatMulBlockQuantizedFp8Weight",
        "MoEGroupRouter",
        "NGramHashMapping",
        "PackedSparseAttentionIndexer",
        "PackedSparseAttentionIndexerMerge",
        "PagedAttention",
        "QOrderedAttention",
        "QuantizeBFP",
        "RMSNormRotary",
        "Rfft",
        "RouterGateUpProj",
        "Sampling",
        "Snpe",
        "SparseAttention",
        "SparseAttentionIndexer",
        "SparsePagedAttention",
        "SpeculativePrefixCommit",
        "VarlenCausalConvWithState",
        "VarlenNGramHashMapping",
        "WhisperBeamSearch",
        "WordConvEmbedding",
    ];

    #[test]
    fn every_operator_of_the_runtime_has_a_rule_or_none() {
        let missing: Vec<&str> = onnx_schema::contrib()
            .filter(|schema| rule(schema).is_none())
            .map(|schema| schema.name)
            .collect();
        assert_eq!(missing, WITHOUT);
    }

    #[test]
    fn every_operator_version_has_a_rule() {
        let missing: Vec<String> = onnx_schema::all()
            .filter(|schema| rule(schema).is_none())
            .filter(|schema| !(schema.domain.is_empty() && HAS_BODIES.contains(&schema.name)))
            .map(ToString::to_string)
            .collect();
        assert_eq!(missing, [""; 0]);
    }

    #[test]
    fn every_row_is_a_version() {
        let all: Vec<_> = onnx_schema::all().chain(onnx_schema::contrib()).collect();
        for ((domain, name), rows) in table() {
            for (since, _) in rows {
                let is_this = |version: &&&OperatorSchema| {
                    (version.domain, version.name, version.since) == (*domain, *name, *since)
                };
                let exists = all.iter().any(|version| is_this(&version));
                assert!(exists, "{domain} {name}-{since}");
            }
            let distinct = rows.windows(2).all(|pair| pair[0].0 < pair[1].0);
            assert!(distinct, "{domain} {name}: two rows of one version");
        }
    }
}
