//! The order in which a backend adds, from cancelling terms.

use std::fmt;

/// An order of additions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// From the first term to the last.
    Sequential,
    /// In so many interleaved sums, which are then added.
    Lanes(usize),
    /// In blocks of so many neighbouring terms, which are then added.
    Blocks(usize),
    /// Neighbours first, then neighbouring pairs, and so on.
    Pairwise,
    /// Another order.
    Other,
}

impl Order {
    /// The order from `joined[j − 1]`, for each term j but the first: the number of terms below the
    /// addition at which the first term and term j meet. A large number as the first term and its
    /// negative as term j cancel there; all smaller terms that were added before are lost, and all
    /// others are kept.
    pub fn of(joined: &[usize]) -> Order {
        let meets = |term: usize| joined.get(term - 1).copied();
        let terms = || 1..=joined.len();
        if terms().all(|term| meets(term) == Some(term + 1)) {
            return Order::Sequential;
        }
        if terms().all(|term| meets(term) == Some((term + 1).next_power_of_two())) {
            return Order::Pairwise;
        }
        match terms().find(|term| meets(*term) == Some(2)) {
            Some(1) => {
                let run = terms().take_while(|term| meets(*term) == Some(term + 1)).count() + 1;
                if run > 2 { Order::Blocks(run) } else { Order::Other }
            }
            Some(lanes) => {
                let mut lane = (1..=joined.len() / lanes).map(|step| (step, meets(step * lanes)));
                if lane.all(|(step, meets)| meets == Some(step + 1)) {
                    Order::Lanes(lanes)
                } else {
                    Order::Other
                }
            }
            None => Order::Other,
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Sequential => f.write_str("one after the other"),
            Order::Lanes(lanes) => write!(f, "{lanes} interleaved sums"),
            Order::Blocks(block) => write!(f, "blocks of {block}"),
            Order::Pairwise => f.write_str("pairs of neighbours"),
            Order::Other => f.write_str("another order"),
        }
    }
}
