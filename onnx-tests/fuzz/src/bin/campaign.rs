//! `cargo run -p onnx-fuzz --bin campaign -- --count 1000000 --seed 1`: mutated models through the
//! decoder, the checker, the reference and the native backend, in worker processes of its own.

use std::error::Error;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use harness_corpus::{Corpus, Releases};
use harness_fetch::{Cache, Fetcher, Lockfile};
use onnx_fuzz::campaign::{self, Plan, Work};
use onnx_fuzz::surface::{self, Budget, SURFACES};
use onnx_fuzz::{Recipe, Seed, Stage, read_seeds, seeds, write_seeds};

/// Searches for models that end a process, panic, hang or use too much memory.
///
/// Exit code: 0 if none was found, 1 if one was found, 2 if the search failed.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Subcommands>,
    /// The number of mutants.
    #[arg(long, default_value_t = 100_000)]
    count: u64,
    /// The seed of all mutants.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of parallel worker processes. Default: the number of processors.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// The memory limit of a worker in MiB.
    #[arg(long, default_value_t = 1024)]
    memory: u64,
    /// The time limit of one stage of one mutant in seconds.
    #[arg(long, default_value_t = 5.0)]
    time: f64,
    /// The folder for culprits: a model, its inputs, and a line of text for each.
    #[arg(long, default_value = "target/campaign")]
    out: PathBuf,
    /// Releases of ONNX whose official cases are also used as seeds (`1.22`). Default: only the own
    /// cases.
    #[arg(long, value_name = "RELEASES")]
    release: Option<Releases>,
    /// A recipe (`12:9f,a3`): writes its mutant to the folder and runs nothing.
    #[arg(long)]
    recipe: Option<Recipe>,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Searches a surface that reads bytes or text, in this process.
    Surface(Surface),
    /// The worker, which the program starts itself.
    #[command(hide = true)]
    Worker(Worker),
}

#[derive(Args)]
struct Surface {
    /// The surface, or `all`.
    name: String,
    /// The number of inputs.
    #[arg(long, default_value_t = 100_000)]
    count: usize,
    /// The seed of all inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Args)]
struct Worker {
    #[arg(long)]
    journal: PathBuf,
    #[arg(long)]
    seeds: PathBuf,
    #[arg(long)]
    memory: u64,
    #[arg(long, value_parser = stage)]
    first: Stage,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[arg(long, default_value_t = 0)]
    from: u64,
    #[arg(long, default_value_t = 0)]
    to: u64,
    #[arg(long)]
    recipe: Option<Recipe>,
}

fn stage(text: &str) -> Result<Stage, String> {
    let known = Stage::ALL.into_iter().find(|stage| stage.name() == text);
    known.ok_or_else(|| format!("{text:?} is not a stage"))
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            // If stderr is closed, nothing can be reported.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: Arguments) -> Result<ExitCode, Box<dyn Error>> {
    match arguments.command {
        Some(Subcommands::Worker(worker)) => {
            let seeds = read_seeds(&worker.seeds)?;
            return Ok(campaign::work(&work(worker, seeds.len()), &seeds).map(|()| ExitCode::SUCCESS)?);
        }
        Some(Subcommands::Surface(surface)) => return surfaces(&surface),
        None => {}
    }
    let seeds = seeds(&corpora(arguments.release.as_ref())?)?;
    let folder = tempfile::tempdir()?;
    let plan = Plan {
        count: arguments.count,
        seed: arguments.seed,
        jobs: arguments
            .jobs
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get),
        memory: arguments.memory << 20,
        time: Duration::from_secs_f64(arguments.time),
        out: arguments.out,
        seeds: folder.path().join("seeds"),
    };
    write_seeds(&plan.seeds, &seeds)?;
    match arguments.recipe {
        Some(recipe) => campaign::write_mutant(&recipe, &plan.out, &seeds)?,
        None => return search(&plan, &seeds),
    }
    Ok(ExitCode::SUCCESS)
}

/// The official cases of these releases, from the cache or downloaded.
fn corpora(releases: Option<&Releases>) -> Result<Vec<Corpus>, Box<dyn Error>> {
    let Some(releases) = releases else {
        return Ok(Vec::new());
    };
    let lock = Lockfile::embedded()?;
    let fetcher = Fetcher::new(Cache::from_env()?, |event| say(&event.to_string()));
    Ok(harness_fetch::releases(
        &releases.select(&lock.releases())?,
        &lock,
        &fetcher,
    )?)
}

fn surfaces(wanted: &Surface) -> Result<ExitCode, Box<dyn Error>> {
    let known = SURFACES.map(|(name, _)| name).join(", ");
    let chosen = SURFACES
        .into_iter()
        .filter(|(name, _)| wanted.name == "all" || wanted.name == *name);
    let chosen: Vec<_> = chosen.collect();
    if chosen.is_empty() {
        return Err(format!(
            "there is no surface {:?}; expected {known}, or `all`",
            wanted.name
        )
        .into());
    }
    for surface in chosen {
        let budget = Budget {
            count: wanted.count,
            seed: wanted.seed,
        };
        match surface::search(surface, budget) {
            Ok(()) => say(&format!("{}: {} inputs, no fault", surface.0, wanted.count)),
            Err(failure) => {
                say(&failure.to_string());
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn work(worker: Worker, seeds: usize) -> Work {
    let Worker {
        journal,
        memory,
        first,
        seed,
        from,
        to,
        recipe,
        seeds: _,
    } = worker;
    let recipes = match recipe {
        Some(recipe) => vec![recipe],
        None => (from..to)
            .map(|number| Recipe::nth(seed, number, seeds))
            .collect(),
    };
    Work {
        journal,
        recipes,
        first,
        memory,
    }
}

fn search(plan: &Plan, seeds: &[Seed]) -> Result<ExitCode, Box<dyn Error>> {
    let begun = Instant::now();
    let rate = |mutants: u64| mutants as f64 / begun.elapsed().as_secs_f64();
    say(&format!(
        "{} seeds, {} mutants, {} parallel workers",
        seeds.len(),
        plan.count,
        plan.jobs
    ));
    let (tally, culprits) = campaign::search(plan, seeds, |tally, culprits| {
        let (mutants, faults) = (tally.mutants, tally.faults());
        say(&format!(
            "{mutants} mutants, {:.0}/s, {faults} faults, {culprits} culprits",
            rate(mutants)
        ));
    })?;
    say(&format!(
        "{tally}\n  {:.0} mutants/s, {} culprits in {}",
        rate(tally.mutants),
        culprits.len(),
        plan.out.display()
    ));
    Ok(ExitCode::from(u8::from(tally.faults() > 0)))
}

fn say(text: &str) {
    // A closed stdout must not end a search of hours: its culprits are in the folder.
    let _ = writeln!(io::stdout(), "{text}");
}
