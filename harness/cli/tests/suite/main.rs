//! The program and the library of the harness on workers that misbehave, one module for each
//! command or topic. One test binary links faster than one for each module.

mod action;
mod bench;
mod bench_against;
mod bench_models;
mod check;
mod check_shapes;
mod choosing;
mod commands;
mod compare;
mod documents;
mod drawn;
mod exit_codes;
mod external;
mod hub;
mod investigate;
mod keep_baseline;
mod large;
mod lifecycle;
mod long_answer;
mod models;
mod mutate;
mod official_corpus;
mod options;
mod profile;
mod program;
mod remote;
mod remote_models;
mod remote_programs;
mod runtimes;
mod samples;
mod statement;
mod trusted;
mod upgrade;
mod verdicts;
mod workers;
