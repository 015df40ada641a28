//! Renders the reports of a run from its log: `cargo run -p reports --example render -- RUN FOLDER`.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use reports::{View, write_all};
use run_record::Report;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [run, folder] = arguments.as_slice() else {
        return Err("usage: render RUN FOLDER".into());
    };
    let began = Instant::now();
    let report = Report::read(Path::new(run))?;
    eprintln!("read in {:.2} s", began.elapsed().as_secs_f64());
    let began = Instant::now();
    for path in write_all(&View::from(report), Path::new(folder))? {
        eprintln!("{} ({} bytes)", path.display(), path.metadata()?.len());
    }
    eprintln!("written in {:.2} s", began.elapsed().as_secs_f64());
    Ok(())
}
