//! Tests of the life of a run: started, interrupted, resumed, repeated, written.

mod cases;
mod config;
mod diff;
mod gate;
mod history;
mod hostile;
mod kills;
mod output;
mod repeat;
mod resume;
mod shards;
