//! The life of a run, as the program's user sees it: begun, interrupted, gone on with, repeated, written.

mod cases;
mod config;
mod diff;
mod gate;
mod history;
mod kills;
mod output;
mod repeat;
mod resume;
mod shards;
