//! A command on a model that is interrupted while a backend works says that it is incomplete.

use std::fs::{self, File};
use std::process::Stdio;

use rustix::process::Signal;

use crate::models::{Bench, FAULTY};
use crate::program::{signal, until, wait};

#[test]
fn every_command_on_a_model_says_that_it_was_interrupted() {
    let bench = Bench::new();
    let hangs = format!("--backend 'cmd:{FAULTY} --opt fault=first:hang' --timeout 600");
    let lines = [
        format!("compare net.onnx {hangs}"),
        format!("locate net.onnx {hangs}"),
        format!("reduce net.onnx --out reduced {hangs}"),
        format!("backends choose net.onnx {hangs}"),
        format!("bisect net.onnx --over fault=first:hang --backend 'cmd:{FAULTY}' --timeout 600"),
    ];
    for (at, line) in lines.iter().enumerate() {
        let said = bench.at(&format!("said{at}"));
        let mut child = bench
            .command(line)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&said).expect("a file"))
            .spawn()
            .expect("the program starts");
        let text = || fs::read_to_string(&said).unwrap_or_default();
        until("the inputs are there", || {
            text().contains("drawn input").then_some(())
        });
        signal(&child, Signal::INT);
        assert_eq!(wait(&mut child).code(), Some(5), "{line}\n{}", text());
    }
}
