//! Random graphs: valid by construction, 5 to 50 nodes, with the patterns that backends fuse.
//!
//! A graph is a chain of *blocks* ([`blocks`]), each a pattern in the form of a framework's export; a
//! block reads earlier values, usually the newest. All shapes are known, so that every block fits
//! ([`draft`]). If all elements are small integers, arithmetic is exact in any order ([`range`]), and a
//! decision that depends on values has one right answer. Half of the other graphs also make decisions:
//! there rounding may decide, and what follows has several right answers. No decision changes a shape.
//!
//! A graph depends only on its seed and number.

mod blocks;
mod draft;
mod older;
mod range;

use self::blocks::{
    Block, attention, bodies, containers, control, convolution, elementwise, heads, indices, integers,
    movement, quantized, recurrent, texts, transformer,
};
use self::draft::GraphDraft;
use crate::{Case, Draws};

/// The suite of random graphs among generated cases.
pub const SUITE: &str = "graphs";

/// The minimum number of nodes of a graph.
const MIN_NODES: usize = 5;

/// The maximum number of blocks.
const MAX_STEPS: usize = 40;

/// The number of nodes above which no block is added.
const MAX_NODES: usize = 40;

const MOVEMENT: &[Block] = &[
    movement::transpose,
    movement::reshape,
    movement::axes,
    movement::slice,
    movement::split,
    movement::concat,
    movement::pad,
    movement::gather,
    movement::repeats,
];

const ARITHMETIC: &[Block] = &[
    elementwise::activation,
    elementwise::arithmetic,
    elementwise::choice,
    elementwise::casts,
    elementwise::expansion,
    elementwise::fill,
];

const VISION: &[Block] = &[
    convolution::convolution,
    convolution::convolution,
    convolution::convolution,
    convolution::convolution,
    convolution::pool,
    convolution::excitation,
    convolution::resize,
    convolution::level,
    convolution::transposed,
    convolution::statistics,
    convolution::own_statistics,
    convolution::channels_last,
    convolution::other_rank,
    movement::shuffle,
    movement::blocks,
    elementwise::activation,
    movement::concat,
    movement::split,
    elementwise::arithmetic,
];

const LANGUAGE: &[Block] = &[
    attention::attention,
    attention::attention,
    attention::plain_attention,
    transformer::normalization,
    transformer::normalization,
    transformer::layer,
    transformer::layer,
    transformer::product,
    transformer::gated,
    transformer::embedding,
    elementwise::activation,
];

const BYTES: &[Block] = &[
    quantized::convolution,
    quantized::convolution,
    quantized::product,
    quantized::moved,
    quantized::dynamic,
    movement::concat,
];

const HEADS: &[Block] = &[
    heads::reduction,
    heads::classifier,
    heads::softmax,
    heads::decision,
    heads::running_sum,
];

const SEQUENCES: &[Block] = &[
    recurrent::layer,
    control::condition,
    control::iteration,
    transformer::layer,
    heads::reduction,
];

/// The themes of graphs: each is a list of lists of blocks, one of which is drawn for each step.
const THEMES: &[&[&[Block]]] = &[
    &[VISION],
    &[VISION, VISION, VISION, MOVEMENT, HEADS],
    &[LANGUAGE],
    &[LANGUAGE, LANGUAGE, MOVEMENT, ARITHMETIC],
    &[BYTES, BYTES, VISION, MOVEMENT],
    &[SEQUENCES, SEQUENCES, ARITHMETIC, HEADS],
    &[MOVEMENT, ARITHMETIC, HEADS],
    &[VISION, LANGUAGE, MOVEMENT, ARITHMETIC, HEADS, SEQUENCES, BYTES],
];

const INTEGERS: &[Block] = &[
    integers::arithmetic,
    integers::arithmetic,
    integers::unary,
    integers::masks,
    integers::shapes,
    integers::shapes,
    integers::bits,
    integers::diagonal,
    integers::empty,
];

const INDICES: &[Block] = &[
    indices::gather_elements,
    indices::gather_nd,
    indices::scatter_elements,
    indices::scatter_nd,
    indices::one_hot,
    indices::selection,
    indices::distinct,
    indices::reversed,
];

const CONTAINERS: &[Block] = &[
    containers::split,
    containers::stack,
    containers::collected,
    containers::mapped,
    containers::optional,
];

const BODIES: &[Block] = &[
    bodies::nested,
    bodies::scan,
    bodies::shapes,
    control::condition,
    control::iteration,
];

const TEXTS: &[Block] = &[texts::moved, texts::moved, texts::compared, texts::written];

/// The themes of graphs with an odd number, which have every kind of value and of body, and newer opsets.
const WIDE_THEMES: &[&[&[Block]]] = &[
    &[INTEGERS, INDICES, MOVEMENT],
    &[INTEGERS, INDICES, LANGUAGE],
    &[CONTAINERS, MOVEMENT, ARITHMETIC],
    &[BODIES, ARITHMETIC, INTEGERS],
    &[TEXTS, INTEGERS, MOVEMENT],
    &[VISION, INTEGERS, INDICES, BODIES],
    &[
        INTEGERS, INDICES, CONTAINERS, BODIES, TEXTS, MOVEMENT, ARITHMETIC, HEADS,
    ],
    &[
        VISION, LANGUAGE, BYTES, SEQUENCES, INTEGERS, INDICES, CONTAINERS, BODIES,
    ],
];

/// The opsets of graphs with an odd number.
const WIDE_OPSETS: &[i64] = &[
    13, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 24, 25, 25, 26, 26, 27, 28,
];

/// The graph with a number; `None` if its draws give none.
pub fn graph(seed: u64, number: usize) -> Option<Case> {
    let draws = Draws::new(seed, &format!("graph {number}"));
    let mut g = GraphDraft::new(draws);
    let wide = number % 2 == 1;
    // Opset 13 has the forms that can be written for older ones.
    let old = (wide && g.draws.one_in(4)).then(|| if g.draws.one_in(2) { 11 } else { 12 });
    if wide {
        let opset = *g.draws.one_of(WIDE_OPSETS)?;
        g.use_opset(if old.is_some() { 13 } else { opset });
    }
    let theme = *g.draws.one_of(if wide { WIDE_THEMES } else { THEMES })?;
    let steps = 2 + g.draws.below(9);
    for step in 0..MAX_STEPS {
        if step >= steps && g.len() >= MIN_NODES {
            break;
        }
        let list = *g.draws.one_of(theme)?;
        let block = *g.draws.one_of(list)?;
        // A block that does not fit may leave unused nodes: they are part of the graph.
        let _ = block(&mut g);
        if g.len() >= MAX_NODES {
            break;
        }
    }
    let mut case = g.finish(SUITE.to_owned(), format!("{seed}-{number}"))?;
    if let Some(model) = old.and_then(|opset| older::older(&case.model, opset)) {
        case.model = model;
    }
    Some(case)
}

/// The first `count` graphs of a seed.
pub fn graphs(seed: u64, count: usize) -> impl Iterator<Item = Case> {
    (0..count).filter_map(move |number| graph(seed, number))
}
