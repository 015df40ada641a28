//! Places the boxes of a directed graph in layers (the method of Sugiyama, Tagawa and Toda).
//!
//! 1. The layer of a box is the length of the longest path to it. A box without a predecessor
//!    is in the layer above its first successor.
//! 2. An edge over several layers passes through a point in each; one over more than [`LONG`]
//!    layers runs at the side.
//! 3. Within a layer, boxes are ordered by the mean of their neighbours' places, in sweeps down and
//!    up.
//! 4. A box moves towards the median of its neighbours' centres as far as the boxes beside it
//!    allow. Many equal blocks can drift to one side so: each layer moves back by the mean of the
//!    layers around it.
//!
//! Each step takes time in proportion to the number of boxes and points, which is at most [`LONG`]
//! for each edge. `layout-rs`, which lays out the models on the page of cases, does not end on long
//! chains with edges over many layers.

use std::collections::HashMap;

/// The number of layers that an edge may pass between boxes.
const LONG: usize = 12;

const SWEEPS: usize = 8;

/// The number of layers on each side whose middle counts for a layer.
const AROUND: usize = 40;

/// Distances in pixels.
const GAP: f64 = 18.0;
const LAYER: f64 = 52.0;
pub(super) const HEIGHT: f64 = 28.0;
const LANE: f64 = 9.0;
const LANES: usize = 12;
/// The width that a point of an edge takes.
const POINT: f64 = 4.0;

/// A graph whose boxes are placed; lengths in pixels.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Placed {
    /// The centre of each box.
    pub centres: Vec<(f64, f64)>,
    /// The path of each edge in SVG syntax.
    pub edges: Vec<String>,
    pub width: f64,
    pub height: f64,
}

/// A box, or a point of an edge.
struct Item {
    layer: usize,
    width: f64,
    x: f64,
}

struct Layout {
    items: Vec<Item>,
    /// The items above and below each item that it is joined to.
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    layers: Vec<Vec<usize>>,
}

/// Places boxes of these widths. Edges lead from an earlier box to a later one; others are left out.
pub(super) fn place(widths: &[f64], edges: &[(usize, usize)]) -> Placed {
    let mut edges: Vec<(usize, usize)> = edges.to_vec();
    edges.retain(|&(from, to)| from < to && to < widths.len());
    edges.sort_unstable();
    edges.dedup();
    let layers = layers(widths.len(), &edges);
    let mut layout = Layout::new(widths, &layers);
    let chains: Vec<Option<Vec<usize>>> = edges.iter().map(|&edge| layout.join(edge)).collect();
    layout.order();
    layout.align();
    layout.straighten();
    layout.finish(&edges, &chains, widths.len())
}

/// The layer of each box.
fn layers(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut layers = vec![0; count];
    let mut before = vec![Vec::new(); count];
    let mut first_reader = vec![usize::MAX; count];
    edges.iter().for_each(|&(from, to)| before[to].push(from));
    for to in 0..count {
        layers[to] = before[to].iter().map(|&from| layers[from] + 1).max().unwrap_or(0);
    }
    for &(from, to) in edges {
        first_reader[from] = first_reader[from].min(layers[to]);
    }
    for at in 0..count {
        if before[at].is_empty() && first_reader[at] != usize::MAX {
            layers[at] = first_reader[at] - 1;
        }
    }
    layers
}

impl Layout {
    fn new(widths: &[f64], layers: &[usize]) -> Layout {
        let mut layout = Layout {
            items: Vec::new(),
            above: Vec::new(),
            below: Vec::new(),
            layers: vec![Vec::new(); layers.iter().max().map_or(0, |last| last + 1)],
        };
        for (&width, &layer) in widths.iter().zip(layers) {
            layout.add(layer, width);
        }
        layout
    }

    fn add(&mut self, layer: usize, width: f64) -> usize {
        let number = self.items.len();
        self.items.push(Item { layer, width, x: 0.0 });
        self.above.push(Vec::new());
        self.below.push(Vec::new());
        self.layers[layer].push(number);
        number
    }

    /// Joins two boxes by points in the layers between; returns them, or `None` for an edge that
    /// runs at the side.
    fn join(&mut self, (from, to): (usize, usize)) -> Option<Vec<usize>> {
        let (top, bottom) = (self.items[from].layer, self.items[to].layer);
        if bottom - top > LONG {
            return None;
        }
        let points: Vec<usize> = (top + 1..bottom).map(|layer| self.add(layer, POINT)).collect();
        let mut last = from;
        for &next in points.iter().chain([&to]) {
            self.below[last].push(next);
            self.above[next].push(last);
            last = next;
        }
        Some(points)
    }

    /// Orders the items within each layer.
    fn order(&mut self) {
        let mut place = vec![0.0; self.items.len()];
        let number = |layer: &[usize], place: &mut Vec<f64>| {
            let count = layer.len() as f64;
            for (at, &item) in layer.iter().enumerate() {
                place[item] = (at as f64 + 0.5) / count;
            }
        };
        self.layers.iter().for_each(|layer| number(layer, &mut place));
        for sweep in 0..SWEEPS {
            let down = sweep % 2 == 0;
            let neighbours = if down { &self.above } else { &self.below };
            let count = self.layers.len();
            for step in 0..count {
                let layer = &mut self.layers[if down { step } else { count - 1 - step }];
                let mean = |item: &usize| {
                    let near = &neighbours[*item];
                    match near.len() {
                        0 => place[*item],
                        length => near.iter().map(|&other| place[other]).sum::<f64>() / length as f64,
                    }
                };
                let mut keyed: Vec<(f64, usize)> = layer.iter().map(|item| (mean(item), *item)).collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                *layer = keyed.into_iter().map(|(_, item)| item).collect();
                number(layer, &mut place);
            }
        }
    }

    /// Gives each item its centre.
    fn align(&mut self) {
        for layer in &self.layers {
            let mut right = 0.0;
            for &item in layer {
                let width = self.items[item].width;
                self.items[item].x = right + width / 2.0;
                right += width + GAP;
            }
        }
        for sweep in 0..2 * SWEEPS {
            let down = sweep % 2 == 0;
            let count = self.layers.len();
            for step in 0..count {
                self.align_layer(if down { step } else { count - 1 - step }, down);
            }
        }
    }

    /// Moves the items of a layer towards the medians of their neighbours on one side.
    fn align_layer(&mut self, number: usize, down: bool) {
        let layer = std::mem::take(&mut self.layers[number]);
        let wanted: Vec<f64> = layer
            .iter()
            .map(|&item| {
                let near = if down {
                    &self.above[item]
                } else {
                    &self.below[item]
                };
                median(near.iter().map(|&other| self.items[other].x)).unwrap_or(self.items[item].x)
            })
            .collect();
        let apart =
            |a: usize, b: usize| (self.items[layer[a]].width + self.items[layer[b]].width) / 2.0 + GAP;
        // From the left each item is as far left as wanted, from the right as far right; the mean
        // of both keeps the distances.
        let mut left = wanted.clone();
        for at in 1..left.len() {
            left[at] = left[at].max(left[at - 1] + apart(at - 1, at));
        }
        let mut right = wanted;
        for at in (1..right.len()).rev() {
            right[at - 1] = right[at - 1].min(right[at] - apart(at - 1, at));
        }
        for ((&item, left), right) in layer.iter().zip(left).zip(right) {
            self.items[item].x = (left + right) / 2.0;
        }
        self.layers[number] = layer;
    }

    /// Moves each layer by the mean middle of the layers around it, so that the graph is upright.
    fn straighten(&mut self) {
        let middle = |layer: &Vec<usize>| {
            let ends = |item: &usize| {
                let item = &self.items[*item];
                (item.x - item.width / 2.0, item.x + item.width / 2.0)
            };
            let left = layer
                .iter()
                .map(|item| ends(item).0)
                .fold(f64::INFINITY, f64::min);
            let right = layer
                .iter()
                .map(|item| ends(item).1)
                .fold(f64::NEG_INFINITY, f64::max);
            if layer.is_empty() {
                0.0
            } else {
                (left + right) / 2.0
            }
        };
        // Sums of the middles up to each layer.
        let mut sums = vec![0.0];
        for layer in &self.layers {
            sums.push(sums.last().copied().unwrap_or_default() + middle(layer));
        }
        for (at, layer) in self.layers.iter().enumerate() {
            let (first, end) = (
                at.saturating_sub(AROUND),
                (at + AROUND + 1).min(self.layers.len()),
            );
            let mean = (sums[end] - sums[first]) / (end - first) as f64;
            layer.iter().for_each(|&item| self.items[item].x -= mean);
        }
    }

    fn finish(mut self, edges: &[(usize, usize)], chains: &[Option<Vec<usize>>], boxes: usize) -> Placed {
        let left = |item: &Item| item.x - item.width / 2.0;
        let least = self.items.iter().map(left).fold(f64::INFINITY, f64::min);
        if least.is_finite() {
            self.items.iter_mut().for_each(|item| item.x += GAP - least);
        }
        let ends: Vec<f64> = self
            .layers
            .iter()
            .map(|layer| {
                let right = layer
                    .iter()
                    .map(|&item| self.items[item].x + self.items[item].width / 2.0);
                right.fold(0.0, f64::max)
            })
            .collect();
        let mut reach = ends.iter().copied().fold(0.0, f64::max);
        let mut lanes = HashMap::new();
        let paths = edges
            .iter()
            .zip(chains)
            .map(|(&(from, to), chain)| match chain {
                Some(points) => self.through(from, points, to),
                None => {
                    // All long edges of one box share a lane.
                    let next = lanes.len() % LANES;
                    let lane = *lanes.entry(from).or_insert(next);
                    let (top, bottom) = (self.items[from].layer, self.items[to].layer);
                    let beside = ends[top..=bottom].iter().copied().fold(0.0, f64::max);
                    let x = beside + GAP + LANE * lane as f64;
                    reach = reach.max(x);
                    self.around(from, x, to)
                }
            })
            .collect();
        Placed {
            centres: self.items[..boxes]
                .iter()
                .map(|item| (item.x, y(item.layer)))
                .collect(),
            edges: paths,
            width: reach + GAP,
            height: self.layers.len() as f64 * LAYER + GAP,
        }
    }

    /// The path of an edge through points: a curve between each two layers.
    fn through(&self, from: usize, points: &[usize], to: usize) -> String {
        let (mut x, mut bottom) = (self.items[from].x, y(self.items[from].layer) + HEIGHT / 2.0);
        let mut path = format!("M{x:.0} {bottom:.0}");
        for &next in points.iter().chain([&to]) {
            let item = &self.items[next];
            let is_point = next != to;
            let top = y(item.layer) - HEIGHT / 2.0;
            if (x - item.x).abs() < 0.5 {
                path.push_str(&format!("V{top:.0}"))
            } else {
                let middle = (bottom + top) / 2.0;
                path.push_str(&format!(
                    "C{x:.0} {middle:.0} {:.0} {middle:.0} {:.0} {top:.0}",
                    item.x, item.x
                ));
            }
            (x, bottom) = (item.x, top);
            if is_point {
                bottom += HEIGHT;
                path.push_str(&format!("V{bottom:.0}"));
            }
        }
        path
    }

    /// The path of a long edge beside the boxes.
    fn around(&self, from: usize, lane: f64, to: usize) -> String {
        let (from, to) = (&self.items[from], &self.items[to]);
        let (start, end) = (y(from.layer) + HEIGHT / 2.0, y(to.layer) - HEIGHT / 2.0);
        let (leave, arrive) = (start + 10.0, end - 10.0);
        format!(
            "M{:.0} {start:.0}C{:.0} {leave:.0} {lane:.0} {start:.0} {lane:.0} {:.0}V{:.0}C{lane:.0} {end:.0} {:.0} {arrive:.0} {:.0} {end:.0}",
            from.x,
            from.x,
            start + 24.0,
            end - 24.0,
            to.x,
            to.x
        )
    }
}

fn y(layer: usize) -> f64 {
    GAP + HEIGHT / 2.0 + layer as f64 * LAYER
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = (
        values.get(values.len().checked_sub(1)? / 2)?,
        values.get(values.len() / 2)?,
    );
    Some((low + high) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn centres(edges: &[(usize, usize)], boxes: usize) -> Vec<(f64, f64)> {
        place(&vec![100.0; boxes], edges).centres
    }

    #[test]
    fn a_chain_is_a_straight_column() {
        let placed = place(&[100.0; 4], &[(0, 1), (1, 2), (2, 3)]);
        let columns: Vec<f64> = placed.centres.iter().map(|centre| centre.0).collect();
        assert!(
            columns.iter().all(|x| (x - columns[0]).abs() < 1e-9),
            "{columns:?}"
        );
        assert!(
            placed.edges.iter().all(|path| !path.contains('C')),
            "{:?}",
            placed.edges
        );
    }

    #[test]
    fn a_box_without_a_predecessor_stands_above_its_first_reader() {
        let found = centres(&[(0, 1), (1, 2), (2, 4), (3, 4)], 5);
        assert_eq!(found[3].1, found[2].1);
    }

    /// No two boxes overlap, and every edge leads down.
    #[track_caller]
    fn check(boxes: usize, edges: &[(usize, usize)]) {
        let widths: Vec<f64> = (0..boxes).map(|at| 40.0 + (at * 37 % 90) as f64).collect();
        let placed = place(&widths, edges);
        assert_eq!(placed.centres.len(), boxes);
        for &(from, to) in edges {
            assert!(placed.centres[from].1 < placed.centres[to].1, "{from} {to}");
        }
        let mut rows: HashMap<u64, Vec<(f64, f64)>> = HashMap::new();
        for (&(x, y), width) in placed.centres.iter().zip(&widths) {
            rows.entry(y as u64)
                .or_default()
                .push((x - width / 2.0, x + width / 2.0));
            assert!(x - width / 2.0 >= 0.0 && x + width / 2.0 <= placed.width && y <= placed.height);
        }
        for row in rows.values_mut() {
            row.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert!(
                row.windows(2).all(|pair| pair[0].1 <= pair[1].0 + 1e-6),
                "{row:?}"
            );
        }
    }

    #[test]
    fn boxes_do_not_overlap_and_edges_lead_down() {
        check(0, &[]);
        check(3, &[]);
        check(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        let mut seed = 7_u64;
        let mut next = |below: usize| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below.max(1)
        };
        for boxes in [10, 60, 300] {
            let edges: Vec<(usize, usize)> = (1..boxes)
                .flat_map(|to| [(next(to), to), (to - 1 - next(to.min(4)).min(to - 1), to)])
                .collect();
            check(boxes, &edges);
        }
    }

    #[test]
    fn an_edge_that_leads_back_or_out_is_left_out() {
        assert_eq!(place(&[10.0; 2], &[(1, 0), (0, 0), (0, 9)]).edges.len(), 0);
    }

    /// Four hundred blocks of a convolution, an activation that is read twice, and a sum with the
    /// input of the block.
    #[test]
    fn many_equal_blocks_stay_upright() {
        let mut edges = Vec::new();
        for start in (0..2000).step_by(5) {
            let inside = [(0, 1), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (0, 5)];
            edges.extend(inside.map(|(from, to)| (start + from, start + to)));
        }
        let placed = place(&vec![70.0; 2001], &edges);
        assert!(placed.width < 800.0, "{}", placed.width);
    }

    /// Two thousand nodes in a chain, every fifth with a skip, and one that a hundred read.
    #[test]
    fn large_graphs_are_placed_at_once() {
        let boxes = 2000;
        let chain = (1..boxes).map(|to| (to - 1, to));
        let skips = (5..boxes).step_by(5).map(|to| (to - 5, to));
        let shared = (20..boxes).step_by(20).map(|to| (0, to));
        let edges: Vec<(usize, usize)> = chain.chain(skips).chain(shared).collect();
        let begin = std::time::Instant::now();
        let placed = place(&vec![90.0; boxes], &edges);
        assert_eq!(placed.centres.len(), boxes);
        assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
    }
}
