//! Formats numbers for people.

/// `1,914`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 case`, `1,914 cases`.
pub fn counted(count: impl TryInto<u64>, thing: &str) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {thing}"),
        count => format!("{} {thing}s", thousands(count)),
    }
}

/// `90.1 %`, rounded down, so that only all of it is `100 %`.
pub fn percent(part: u64, whole: u64) -> String {
    match (part, whole) {
        (_, 0) => String::new(),
        (part, whole) if part == whole => "100 %".to_owned(),
        (part, whole) => format!("{:.1} %", (part as f64 / whole as f64 * 1000.0).floor() / 10.0),
    }
}

/// Bytes: `310 MiB`.
pub fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", (bytes + (1 << 19)) >> 20)
}

/// Nanoseconds with a unit and three digits: `834 ns`, `12.3 µs`, `21.1 ms`, `2.46 s`.
pub fn nanoseconds(ns: u64) -> String {
    let ns = ns as f64;
    match ns {
        ns if ns < 1e3 => format!("{ns} ns"),
        // From here on, three digits would round to 1000 of the smaller unit.
        ns if ns < 999.5e3 => format!("{} µs", figures(ns / 1e3)),
        ns if ns < 999.5e6 => format!("{} ms", figures(ns / 1e6)),
        ns => format!("{} s", figures(ns / 1e9)),
    }
}

/// Nanoseconds in milliseconds, as far as these tell anything: `12 µs`, `0.3 ms`, `21.1 ms`.
pub fn milliseconds(ns: u64) -> String {
    match ns {
        100_000.. => format!("{:.1} ms", ns as f64 / 1e6),
        _ => nanoseconds(ns),
    }
}

/// Seconds: `0.42 s`, `6.4 s`, `2 min 05 s`.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{s:.2} s"),
        s if s < 59.95 => format!("{s:.1} s"),
        s => {
            let whole = s.round() as u64;
            format!("{} min {:02} s", whole / 60, whole % 60)
        }
    }
}

/// `15.6 GiB`.
pub fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64)
}

/// An error statistic with three digits: `0`, `0.0125`, `1.25e-7`, `∞`; empty if nothing was measured.
pub fn error(value: f64) -> String {
    match value {
        v if v.is_nan() => String::new(),
        v if v.is_infinite() => "∞".to_owned(),
        0.0 => "0".to_owned(),
        v if (1e-3..1e3).contains(&v) => figures(v),
        v if (1e3..1e6).contains(&v) => thousands(v.round() as u64),
        v => format!("{v:.2e}"),
    }
}

/// A distance in units in the last place, usually an integer: `3`, `1,024`, `1.68e7`, `∞`; empty if
/// nothing was measured.
pub fn ulp(value: f64) -> String {
    match value {
        v if v.fract() == 0.0 && v.abs() < 1e6 => thousands(v as u64),
        v => error(v),
    }
}

/// A multiple: `0.71`, `58.6`, `1,234`, `∞`; empty if nothing was measured.
pub fn multiple(value: f64) -> String {
    match value {
        v if v > 0.0 && v < 0.995 => format!("{v:.2}"),
        v => error(v),
    }
}

/// An error with its sign: `-1.25e-7`.
pub fn signed_error(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", error(value.abs()))
}

/// Three digits; integers above one hundred.
fn figures(value: f64) -> String {
    match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v if v >= 0.9995 => format!("{v:.2}"),
        v => format!("{v:.4}").trim_end_matches('0').to_owned(),
    }
}

/// The first `limit` characters of `text`, with an ellipsis if there are more.
pub fn clip(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// `[2, 3]`.
pub fn shape(dimensions: &[u64]) -> String {
    let parts: Vec<String> = dimensions.iter().map(u64::to_string).collect();
    format!("[{}]", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T>(format: impl Fn(T) -> String, rows: impl IntoIterator<Item = (T, &'static str)>) {
        for (value, text) in rows {
            assert_eq!(format(value), text);
        }
    }

    #[test]
    fn numbers_read_well() {
        check(
            thousands,
            [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")],
        );
        check(
            |count: usize| counted(count, "case"),
            [(0, "0 cases"), (1, "1 case"), (1914, "1,914 cases")],
        );
        check(
            milliseconds,
            [
                (0, "0 ns"),
                (95_600, "95.6 µs"),
                (100_000, "0.1 ms"),
                (21_149_000, "21.1 ms"),
            ],
        );
        check(
            nanoseconds,
            [
                (834, "834 ns"),
                (12_345, "12.3 µs"),
                (999_999, "1.00 ms"),
                (2_460_000_000, "2.46 s"),
            ],
        );
        check(
            seconds,
            [
                (0.421, "0.42 s"),
                (6.44, "6.4 s"),
                (59.96, "1 min 00 s"),
                (125.0, "2 min 05 s"),
            ],
        );
        check(
            error,
            [
                (f64::NAN, ""),
                (f64::INFINITY, "∞"),
                (0.0, "0"),
                (0.0125, "0.0125"),
                (1.25e-7, "1.25e-7"),
            ],
        );
        check(
            multiple,
            [(0.0, "0"), (0.7049, "0.70"), (0.001, "0.00"), (58.61, "58.6")],
        );
        check(
            ulp,
            [
                (0.0, "0"),
                (3.0, "3"),
                (1024.0, "1,024"),
                (0.5, "0.5"),
                (f64::NAN, ""),
            ],
        );
        check(signed_error, [(-1.25e-7, "-1.25e-7"), (f64::NAN, ""), (0.0, "0")]);
        check(error, [(312.0, "312"), (65536.4, "65,536"), (1e19, "1.00e19")]);
        check(
            |(part, whole)| percent(part, whole),
            [((1913, 1914), "99.9 %"), ((3, 3), "100 %"), ((0, 0), "")],
        );
        check(|text| clip(text, 3), [("été", "été"), ("étés", "été…")]);
    }
}
