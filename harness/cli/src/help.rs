//! The help: commands in groups, options under headings, and a first screen of a few options.

use std::path::PathBuf;

use clap::Command;
use clap::builder::StyledStr;

/// The commands in groups. Others are tasks of the development.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Test",
        &[
            "conformance",
            "gate",
            "bench",
            "coverage",
            "backends",
            "ambiguities",
            "fetch",
        ],
    ),
    (
        "Model",
        &[
            "check", "compare", "locate", "bisect", "reduce", "keep", "upgrade", "profile",
        ],
    ),
    (
        "Report and CI",
        &[
            "diff",
            "merge",
            "history",
            "statement",
            "tolerance",
            "kit",
            "config",
            "completions",
            "man",
        ],
    ),
    (
        "Lab",
        &["exhaustive", "accumulation", "power", "mutate", "randomize"],
    ),
];

/// The group of all other commands.
const DEVELOPMENT: &str = "Development";

/// The headings of options that several commands have, by the names of their fields.
const HEADINGS: &[(&str, &[&str])] = &[
    (
        "Cases",
        &["release", "cases", "own", "corpus", "variants", "filters"],
    ),
    (
        "Generated cases",
        &[
            "generated",
            "generated_graphs",
            "contrib",
            "generated_seed",
            "rulings",
            "witness",
        ],
    ),
    ("Inputs", &["inputs", "dims", "shapes"]),
    (
        JUDGEMENT,
        &["policy", "tolerances", "no_bounds", "runs", "noise", "trusted"],
    ),
    (WORKERS, &["jobs", "timeout", "memory", "locale"]),
    (GENERAL, &["color", "quiet", "verbose"]),
];

const JUDGEMENT: &str = "Judgement";
const WORKERS: &str = "Workers";
const GENERAL: &str = "General options";

/// The options of the first screen (`-h`) of commands that have many, by the names of their fields. Of other
/// commands it has all but those of workers, judgement, and every command.
const FIRST: &[(&str, &[&str])] = &[
    (
        "conformance",
        &[
            "backends",
            "release",
            "cases",
            "filters",
            "variants",
            "generated",
            "policy",
            "list",
            "out",
            "resume",
            "fail_on",
        ],
    ),
    (
        "gate",
        &[
            "backend", "baseline", "run", "out", "latency", "accept", "release", "cases", "filters",
            "policy", "strict",
        ],
    ),
    (
        "bench",
        &[
            "backends", "against", "aa", "threads", "out", "inputs", "dims", "shapes", "samples", "zoo",
            "patterns",
        ],
    ),
    (
        "upgrade",
        &[
            "to", "out", "backends", "with", "unproven", "inline", "suite", "steps", "inputs", "dims",
            "shapes",
        ],
    ),
    (
        "compare",
        &[
            "backends",
            "inputs",
            "dims",
            "shapes",
            "shapes_in_turn",
            "seed",
            "matrix",
            "out",
            "trusted",
        ],
    ),
    (
        "locate",
        &[
            "backend", "others", "inputs", "dims", "shapes", "seed", "scan", "out", "trusted",
        ],
    ),
];

/// The command with its options under headings, its commands in groups, and examples that name the program
/// that was started. `width` is that of the lines; `None` for the width of the terminal.
pub(super) fn dressed(command: Command, width: Option<usize>) -> Command {
    let command = options(command);
    let command = match width {
        Some(width) => command.term_width(width),
        None => command,
    };
    let groups = grouped(&command, width);
    command
        .before_help(groups)
        .help_template("{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{options}{after-help}")
}

/// The commands below `command` in their groups, and the heading of its options.
fn grouped(command: &Command, width: Option<usize>) -> StyledStr {
    let is_known = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let others: Vec<&str> = command
        .get_subcommands()
        .map(Command::get_name)
        .filter(|name| !is_known(name))
        .collect();
    let groups = GROUPS.iter().map(|(title, names)| (*title, *names));
    let mut lines = String::new();
    for (title, names) in groups.chain([(DEVELOPMENT, others.as_slice())]) {
        let found = names.iter().filter_map(|name| command.find_subcommand(name));
        let mut group = Command::new(title)
            .disable_help_subcommand(true)
            .help_template("{subcommands}")
            .styles(command.get_styles().clone());
        group = found.enumerate().fold(group, |group, (order, found)| {
            group.subcommand(found.clone().display_order(order))
        });
        if let Some(width) = width {
            group = group.term_width(width);
        }
        if group.has_subcommands() {
            let heading = command.get_styles().get_header();
            let text = group.render_help().ansi().to_string();
            lines.push_str(&format!("{heading}{title}:{heading:#}\n{}\n\n", text.trim_end()));
        }
    }
    let heading = command.get_styles().get_header();
    format!("{lines}{heading}{GENERAL}:{heading:#}").into()
}

/// The command and those below it with options under headings, and with examples that name the program.
fn options(command: Command) -> Command {
    let heading = |name: &str| HEADINGS.iter().find(|(_, names)| names.contains(&name));
    let first = FIRST.iter().find(|(name, _)| *name == command.get_name());
    let command = command.mut_args(|arg| {
        let heading = heading(arg.get_id().as_str()).map(|(heading, _)| *heading);
        let is_first = match first {
            Some((_, names)) => names.contains(&arg.get_id().as_str()),
            None => !matches!(heading, Some(JUDGEMENT | WORKERS | GENERAL)),
        };
        let is_positional = arg.is_positional();
        let arg = arg.hide_short_help(!is_positional && !is_first);
        match heading {
            Some(heading) if !is_positional => arg.help_heading(heading),
            _ => arg,
        }
    });
    let named = command
        .get_after_help()
        .map(|text| text.to_string().replace("cargo xtask ", program()));
    let command = match named {
        Some(text) => command.after_help(text),
        None => command,
    };
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    names
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, options))
}

/// How a command line of this program begins.
fn program() -> &'static str {
    let started = std::env::args_os().next().map(PathBuf::from);
    if started.is_some_and(|path| path.file_stem().is_some_and(|stem| stem == "xtask")) {
        "cargo xtask "
    } else {
        "onnx-conformance "
    }
}

#[cfg(test)]
mod tests {
    use clap::Subcommand;

    use super::*;

    fn root() -> Command {
        crate::Command::augment_subcommands(Command::new("onnx-conformance"))
    }

    /// The help of a command: the first screen, or everything.
    fn rendered(command: &mut Command, all: bool) -> String {
        if all {
            command.render_long_help()
        } else {
            command.render_help()
        }
        .to_string()
    }

    #[test]
    fn every_command_is_in_one_group() {
        let grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        let root = root();
        let commands: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
        for command in &commands {
            let count = grouped.iter().filter(|name| *name == command).count();
            assert_eq!(count, 1, "{command}");
        }
        assert_eq!(grouped.len(), commands.len());
        let help = rendered(&mut dressed(root.clone(), None), false);
        for (title, names) in GROUPS {
            let (_, after) = help
                .split_once(&format!("{title}:\n"))
                .unwrap_or_else(|| panic!("{help}"));
            let (group, _) = after.split_once("\n\n").unwrap_or_else(|| panic!("{help}"));
            let listed: Vec<&str> = group
                .lines()
                .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
                .filter(|name| !name.is_empty())
                .collect();
            assert_eq!(listed, names, "{title}");
        }
        assert!(!help.contains(DEVELOPMENT), "{help}");
        let with_task = root.subcommand(Command::new("repo").about("Check the repository"));
        let help = rendered(&mut dressed(with_task, None), false);
        assert!(
            help.contains("Development:\n  repo  Check the repository"),
            "{help}"
        );
    }

    #[test]
    fn help_fits_every_width() {
        for width in 60..=200 {
            let mut root = dressed(root(), Some(width));
            root.build();
            let lists = rendered(&mut root, false);
            let texts = root.get_subcommands_mut().map(|command| rendered(command, true));
            for text in [lists].into_iter().chain(texts) {
                // A word is not broken; clap does not wrap the line of the usage.
                let too_wide = text.lines().find(|line| {
                    line.chars().count() > width
                        && line.trim_start().contains(' ')
                        && !line.starts_with("Usage:")
                });
                assert_eq!(too_wide, None, "{width}");
            }
        }
    }

    #[test]
    fn the_first_screen_has_at_most_twelve_options() {
        let mut root = dressed(root(), Some(100));
        root.build();
        for command in root.get_subcommands_mut() {
            let first: Vec<String> = command
                .get_arguments()
                .filter(|arg| !arg.is_positional() && !arg.is_hide_short_help_set())
                .map(|arg| arg.get_id().to_string())
                .collect();
            assert!(first.len() <= 12, "{}: {first:?}", command.get_name());
            let all = rendered(command, true);
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let name = arg.get_long().map(|name| format!("--{name}"));
                let is_listed = name.as_ref().is_none_or(|name| all.contains(name));
                assert!(is_listed, "{}: {name:?}", command.get_name());
            }
        }
    }

    #[test]
    fn the_lists_name_options_that_exist() {
        let root = root();
        let has = |command: &Command, id: &str| command.get_arguments().any(|arg| arg.get_id() == id);
        for (name, ids) in FIRST {
            let command = root.find_subcommand(name).unwrap_or_else(|| panic!("{name}"));
            for id in *ids {
                assert!(has(command, id), "{name}: {id}");
            }
        }
        for id in HEADINGS[..5].iter().flat_map(|(_, ids)| *ids) {
            assert!(root.get_subcommands().any(|command| has(command, id)), "{id}");
        }
    }

    #[test]
    fn examples_name_the_program_that_was_started() {
        let mut root = dressed(root(), Some(100));
        root.build();
        for command in root.get_subcommands_mut() {
            let help = rendered(command, true);
            assert!(!help.contains("cargo"), "{help}");
            assert!(help.contains("onnx-conformance"), "{help}");
        }
    }
}
