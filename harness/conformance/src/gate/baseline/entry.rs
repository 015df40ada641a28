//! One entry of a baseline: the expected verdict of a case, and the terms under which a failure is
//! excused.

use std::fmt;

use run_record::VerdictKind;
use time::{Date, Month};
use toml_edit::{InlineTable, Item, Value};

/// The entry of a baseline for a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The expected verdict; without effect for a quarantined case.
    pub verdict: VerdictKind,
    /// The reason, for people.
    pub reason: String,
    /// The terms under which the entry is valid.
    pub terms: Terms,
    /// Whether the case is quarantined: it is run and reported, but no verdict of it closes the gate.
    pub quarantine: bool,
}

/// The owner of an entry, and its limits in time and in backend versions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Terms {
    /// The responsible person.
    pub owner: Option<String>,
    /// The last day on which the entry is valid.
    pub expires: Option<Date>,
    /// The only version of the backend for which the entry is valid.
    pub version: Option<String>,
}

/// The date and the version of the backend for which a run is judged.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'v> {
    /// The day.
    pub today: Date,
    /// The version that the backend reports.
    pub version: &'v str,
}

/// Why an entry is not valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lapse {
    /// The last day is in the past.
    Expired(Date),
    /// The entry is limited to this version of the backend, and another version was run.
    OtherVersion(String),
}

impl Terms {
    /// Why the entry is not valid at this moment; `None` if it is.
    pub fn lapse(&self, moment: Moment<'_>) -> Option<Lapse> {
        let expired = self.expires.filter(|last| *last < moment.today);
        let other = self.version.as_ref().filter(|version| *version != moment.version);
        expired
            .map(Lapse::Expired)
            .or_else(|| other.cloned().map(Lapse::OtherVersion))
    }
}

impl fmt::Display for Lapse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lapse::Expired(date) => write!(f, "its waiver expired after {date}"),
            Lapse::OtherVersion(version) => write!(f, "its waiver is limited to version {version}"),
        }
    }
}

/// The fields of an entry.
pub(super) const FIELDS: [&str; 5] = ["verdict", "reason", "owner", "expires", "version"];

/// Whether a baseline may expect this verdict: one of the backend, other than a pass.
pub(super) fn is_expected(verdict: VerdictKind) -> bool {
    !matches!(
        verdict,
        VerdictKind::Pass | VerdictKind::Skipped | VerdictKind::NotRun
    )
}

/// Reads an entry of `[cases]`.
pub(super) fn case(item: &Item) -> Result<Expected, String> {
    let key = text(item, "verdict")?.ok_or("`verdict` must be a text")?;
    let verdict = VerdictKind::ALL.into_iter().find(|verdict| verdict.key() == key);
    match verdict {
        Some(VerdictKind::Pass) => Err("a case that passes needs no line".to_owned()),
        Some(verdict) if is_expected(verdict) => entry(item, verdict, false),
        Some(verdict) => Err(format!(
            "`{}` is not a result of the backend: remove the line",
            verdict.key()
        )),
        None => Err(format!("`{key}` is not a verdict")),
    }
}

/// Reads an entry of `[quarantine]`: it has an owner and a limit in time.
pub(super) fn quarantined(item: &Item) -> Result<Expected, String> {
    if item.get("verdict").is_some() {
        return Err("a quarantined case may have any verdict: omit `verdict`".to_owned());
    }
    let expected = entry(item, VerdictKind::Flaky, true)?;
    match (&expected.terms.owner, expected.terms.expires) {
        (Some(_), Some(_)) => Ok(expected),
        (None, _) => Err("a quarantine needs an `owner`".to_owned()),
        (_, None) => Err("a quarantine needs a date in `expires`".to_owned()),
    }
}

fn entry(item: &Item, verdict: VerdictKind, quarantine: bool) -> Result<Expected, String> {
    let fields = item.as_table_like().ok_or("an entry must be a table")?;
    if let Some((unknown, _)) = fields.iter().find(|(field, _)| !FIELDS.contains(field)) {
        return Err(format!(
            "`{unknown}` is not a field: expected {}",
            FIELDS.join(", ")
        ));
    }
    Ok(Expected {
        verdict,
        reason: text(item, "reason")?.ok_or("`reason` must be a text")?.to_owned(),
        terms: Terms {
            owner: text(item, "owner")?.map(str::to_owned),
            expires: item.get("expires").map(date).transpose()?,
            version: text(item, "version")?.map(str::to_owned),
        },
        quarantine,
    })
}

fn text<'i>(item: &'i Item, field: &str) -> Result<Option<&'i str>, String> {
    match item.get(field) {
        None => Ok(None),
        Some(value) => value
            .as_str()
            .map(Some)
            .ok_or_else(|| format!("`{field}` must be a text")),
    }
}

/// A date of TOML, `2027-03-01`.
fn date(item: &Item) -> Result<Date, String> {
    let wanted = "`expires` must be a date, as in 2027-03-01";
    let value = item.as_datetime().ok_or(wanted)?;
    match (value.date, value.time) {
        (Some(date), None) => calendar(date.year, date.month, date.day).ok_or(wanted.to_owned()),
        _ => Err(wanted.to_owned()),
    }
}

fn calendar(year: u16, month: u8, day: u8) -> Option<Date> {
    Date::from_calendar_date(year.into(), Month::try_from(month).ok()?, day).ok()
}

/// Parses a date, `2027-03-01`.
///
/// # Errors
/// The text is not a date of the calendar.
pub fn parse_date(text: &str) -> Result<Date, String> {
    let wanted = || format!("`{text}` is not a date: expected YYYY-MM-DD, as in 2027-03-01");
    let date: toml_edit::Datetime = text.parse().map_err(|_| wanted())?;
    match (date.date, date.time) {
        (Some(date), None) => calendar(date.year, date.month, date.day).ok_or_else(wanted),
        _ => Err(wanted()),
    }
}

/// Writes an expectation into an entry; fields keep their order, and fields without a value are removed.
pub(super) fn write(line: &mut InlineTable, expected: &Expected) {
    line.insert("verdict", expected.verdict.key().into());
    line.insert("reason", expected.reason.as_str().into());
    let Terms {
        owner,
        expires,
        version,
    } = &expected.terms;
    let mut put = |field: &str, value: Option<Value>| match value {
        Some(value) => drop(line.insert(field, value)),
        None => drop(line.remove(field)),
    };
    put("owner", owner.as_deref().map(Value::from));
    // Each year that TOML can represent was read from it, or parsed by `parse_date`.
    let date = expires.and_then(|date| date.to_string().parse::<toml_edit::Datetime>().ok());
    put("expires", date.map(Value::from));
    put("version", version.as_deref().map(Value::from));
}
