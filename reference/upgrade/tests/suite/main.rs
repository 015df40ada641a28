//! Models before and after a conversion.

mod by_hand;
mod forms;
mod generated;
