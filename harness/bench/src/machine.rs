//! Detects sources of noise on the machine: frequency, other processes, the hypervisor, heat.

use std::fs;
use std::path::Path;
use std::time::Instant;

use run_record::MachineState;
use run_record::text::counted;

/// Ticks of `/proc` per second, on every known architecture of Linux.
const TICKS: f64 = 100.0;

/// Thresholds of noise: fractions of the processor time, and processors used by other processes.
const STEAL: f64 = 0.01;
const OTHERS: f64 = 0.25;
/// The load per processor at the start, and the ratio of the highest to the lowest frequency.
const LOAD: f64 = 0.5;
const FREQUENCIES: f64 = 1.1;

/// The state of the system at a moment; `None` if the system does not report a value.
#[derive(Clone, Default, PartialEq, Debug)]
struct Moment {
    /// Ticks of all processors: busy, stolen, total.
    ticks: Option<[u64; 3]>,
    /// Ticks used by this process and by its children that have ended.
    own: Option<u64>,
    governor: String,
    mhz: Vec<u32>,
    load: Option<f64>,
    throttled: Option<u64>,
}

/// Observes the machine while latencies are measured.
pub(super) struct Watch {
    began: Instant,
    before: Moment,
}

impl Watch {
    /// Records the state at the start.
    pub fn begin() -> Watch {
        Watch {
            began: Instant::now(),
            before: Moment::now(),
        }
    }

    /// Compares the state at the end with that at the start.
    pub fn end(self) -> MachineState {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        assess(
            &self.before,
            &Moment::now(),
            self.began.elapsed().as_secs_f64(),
            cores,
        )
    }
}

impl Moment {
    fn now() -> Moment {
        let read = |path: &str| fs::read_to_string(path).ok();
        let processors = processors();
        let of_each = |file: &str| {
            let texts = processors
                .iter()
                .map(|folder| fs::read_to_string(Path::new(folder).join(file)));
            texts.filter_map(Result::ok).collect::<Vec<String>>()
        };
        let numbers = |file: &str| -> Vec<u64> {
            let texts = of_each(file);
            texts.iter().filter_map(|text| text.trim().parse().ok()).collect()
        };
        let throttled = numbers("thermal_throttle/core_throttle_count");
        Moment {
            ticks: read("/proc/stat").and_then(|text| ticks(&text)),
            own: read("/proc/self/stat").and_then(|text| own(&text)),
            governor: of_each("cpufreq/scaling_governor")
                .first()
                .map(|text| text.trim().to_owned())
                .unwrap_or_default(),
            mhz: numbers("cpufreq/scaling_cur_freq")
                .iter()
                .filter_map(|khz| u32::try_from(khz / 1000).ok())
                .collect(),
            load: read("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
            throttled: (!throttled.is_empty()).then(|| throttled.iter().sum()),
        }
    }
}

/// The folders of the processors.
fn processors() -> Vec<std::path::PathBuf> {
    let is_one = |name: &str| {
        name.strip_prefix("cpu")
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let entries = fs::read_dir("/sys/devices/system/cpu")
        .into_iter()
        .flatten()
        .flatten();
    entries
        .filter(|entry| is_one(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect()
}

/// Busy, stolen and total ticks in the first line of `/proc/stat` (proc(5)): user, nice, system, idle,
/// iowait, irq, softirq, steal.
fn ticks(text: &str) -> Option<[u64; 3]> {
    let fields = text.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
    let fields: Vec<u64> = fields.map(str::parse).collect::<Result<_, _>>().ok()?;
    let [user, nice, system, idle, iowait, irq, softirq, steal, ..] = *fields.as_slice() else {
        return None;
    };
    let busy = user + nice + system + irq + softirq;
    Some([busy, steal, busy + idle + iowait + steal])
}

/// The ticks of `/proc/self/stat`: user and system, of the process and of its ended children. The name
/// may contain any character.
fn own(text: &str) -> Option<u64> {
    let (_, fields) = text.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let times = fields.get(11..15)?.iter().map(|field| field.parse::<u64>().ok());
    times.sum()
}

/// Compares two states, `seconds` apart, of a machine with `cores` processors.
fn assess(before: &Moment, after: &Moment, seconds: f64, cores: usize) -> MachineState {
    let ticks = before.ticks.zip(after.ticks).map(|(before, after)| {
        let since = |index: usize| after[index].saturating_sub(before[index]) as f64;
        [since(0), since(1), since(2)]
    });
    let own = before.own.zip(after.own);
    let own = own.map(|(before, after)| after.saturating_sub(before) as f64);
    let others = ticks
        .zip(own)
        .map(|([busy, _, _], own)| (busy - own).max(0.0) / TICKS / seconds.max(0.01));
    let seen = before.mhz.iter().chain(&after.mhz);
    let throttled = before.throttled.zip(after.throttled);
    let mut state = MachineState {
        governor: after.governor.clone(),
        mhz: seen.clone().min().copied().zip(seen.max().copied()),
        steal: ticks.and_then(|[_, stolen, all]| (all > 0.0).then_some(stolen / all)),
        others,
        load: before.load,
        throttled: throttled.map(|(before, after)| after.saturating_sub(before)),
        noise: Vec::new(),
    };
    state.noise = noise(&state, cores);
    state
}

fn noise(state: &MachineState, cores: usize) -> Vec<String> {
    let powersave = (!state.governor.is_empty() && state.governor != "performance").then(|| {
        format!(
            "governor `{}` changes the frequency; `performance` does not",
            state.governor
        )
    });
    let frequency = state
        .mhz
        .filter(|(low, high)| f64::from(*high) > FREQUENCIES * f64::from(*low))
        .map(|(low, high)| format!("the frequency was between {low} and {high} MHz"));
    let steal = state
        .steal
        .filter(|part| *part > STEAL)
        .map(|part| format!("the hypervisor took {:.1} % of the processor time", 100.0 * part));
    let others = state
        .others
        .filter(|busy| *busy > OTHERS)
        .map(|busy| format!("other processes used {busy:.1} of {cores} processors"));
    let load = state
        .load
        .filter(|load| *load > LOAD * cores as f64)
        .map(|load| format!("the load was {load:.1} on {cores} processors at the start of the run"));
    let heat = state.throttled.filter(|count| *count > 0).map(|count| {
        let times = counted(count, "time");
        format!("the processor was throttled {times} because of heat")
    });
    [powersave, frequency, steal, others, load, heat]
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use super::*;

    #[test]
    fn system_files_are_parsed() {
        let stat = "cpu  100 20 30 400 50 6 7 80 0 0\ncpu0 1 2 3\n";
        assert_eq!(ticks(stat), Some([163, 80, 693]));
        assert_eq!(ticks("cpu  1 2 3\n"), None);
        assert_eq!(ticks(""), None);
        let fields = "S 1 1 1 0 -1 4 1 2 3 4 10 20 30 40 20 0";
        assert_eq!(own(&format!("7 (a) b) {fields}")), Some(100));
        assert_eq!(own("7 (a) S 1"), None);
    }

    fn quiet() -> Moment {
        Moment {
            ticks: Some([1_000, 0, 10_000]),
            own: Some(900),
            governor: "performance".to_owned(),
            mhz: vec![3_000, 3_100],
            load: Some(0.3),
            throttled: Some(5),
        }
    }

    #[test]
    fn a_quiet_machine_has_no_notes() {
        let after = Moment {
            ticks: Some([2_010, 10, 12_000]),
            own: Some(1_900),
            ..quiet()
        };
        let state = assess(&quiet(), &after, 10.0, 2);
        assert_eq!(state.noise, Vec::<String>::new());
        assert_eq!((state.steal, state.throttled), (Some(0.005), Some(0)));
        assert_abs_diff_eq!(state.others.unwrap(), 0.01, epsilon = 1e-9);
        assert_eq!(
            assess(&Moment::default(), &Moment::default(), 1.0, 2),
            MachineState::default()
        );
    }

    #[test]
    fn each_source_of_noise_has_a_sentence() {
        let before = Moment {
            load: Some(1.5),
            ..quiet()
        };
        let after = Moment {
            ticks: Some([2_900, 100, 12_000]),
            own: Some(1_900),
            governor: "powersave".to_owned(),
            mhz: vec![1_200],
            load: Some(0.0),
            throttled: Some(7),
        };
        let said = assess(&before, &after, 10.0, 2).noise.join("\n");
        for part in [
            "governor `powersave`",
            "between 1200 and 3100 MHz",
            "took 5.0 %",
            "used 0.9 of 2 processors",
            "the load was 1.5 on 2",
            "throttled 2 times",
        ] {
            assert!(said.contains(part), "{part} in\n{said}");
        }
    }
}
