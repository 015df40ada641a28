//! One entry of a baseline: what is expected of a case, and under which terms a failure is excused.

use std::fmt;

use reports::record::VerdictKind;
use time::{Date, Month};
use toml_edit::{InlineTable, Item, Value};

/// What a baseline says of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The verdict that is expected; of a quarantined case it does not count.
    pub verdict: VerdictKind,
    /// Why, for people.
    pub reason: String,
    /// Under which terms the entry holds.
    pub terms: Terms,
    /// Whether the case is in quarantine: it is run and shown, and no verdict of it closes the gate.
    pub quarantine: bool,
}

/// Who answers for an entry, and for how long and for which version of the backend it holds.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Terms {
    /// Who answers for it.
    pub owner: Option<String>,
    /// The last day on which it holds.
    pub expires: Option<Date>,
    /// The only version of the backend for which it holds.
    pub version: Option<String>,
}

/// When, and of which version of the backend, a run is judged.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'v> {
    /// The day.
    pub today: Date,
    /// The version that the backend names.
    pub version: &'v str,
}

/// Why an entry does not excuse anything any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lapse {
    /// Its last day is past.
    Expired(Date),
    /// It holds for this version of the backend, and another one was run.
    OtherVersion(String),
}

impl Terms {
    /// Why it does not hold at this moment; none where it does.
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
            Lapse::OtherVersion(version) => write!(f, "its waiver holds for version {version} alone"),
        }
    }
}

/// The fields that an entry may have.
const FIELDS: [&str; 5] = ["verdict", "reason", "owner", "expires", "version"];

/// What an entry of `[cases]` says.
pub(super) fn case(item: &Item) -> Result<Expected, String> {
    let key = text(item, "verdict")?.ok_or("`verdict` must be a text")?;
    let verdict = VerdictKind::ALL.into_iter().find(|verdict| verdict.key() == key);
    match verdict {
        Some(VerdictKind::Pass) => Err("a case that passes needs no line".to_owned()),
        Some(verdict @ (VerdictKind::Skipped | VerdictKind::NotRun)) => Err(format!(
            "`{}` says nothing of the backend: remove the line",
            verdict.key()
        )),
        Some(verdict) => entry(item, verdict, false),
        None => Err(format!("there is no verdict `{key}`")),
    }
}

/// What an entry of `[quarantine]` says: a person answers for it, and it does not last for ever.
pub(super) fn quarantined(item: &Item) -> Result<Expected, String> {
    if item.get("verdict").is_some() {
        return Err("a case in quarantine may come to any verdict: leave `verdict` out".to_owned());
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
        return Err(format!("`{unknown}` is no field: expected {}", FIELDS.join(", ")));
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

/// A date as people type it, `2027-03-01`.
///
/// # Errors
/// A text that is no date of the calendar.
pub fn parse_date(text: &str) -> Result<Date, String> {
    let wanted = || format!("`{text}` is no date: expected YYYY-MM-DD, as in 2027-03-01");
    let date: toml_edit::Datetime = text.parse().map_err(|_| wanted())?;
    match (date.date, date.time) {
        (Some(date), None) => calendar(date.year, date.month, date.day).ok_or_else(wanted),
        _ => Err(wanted()),
    }
}

/// Writes what is expected into an entry; fields keep their order, and those that are not said go.
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
    // Each year that TOML can write was read from it, or typed as one.
    let date = expires.and_then(|date| date.to_string().parse::<toml_edit::Datetime>().ok());
    put("expires", date.map(Value::from));
    put("version", version.as_deref().map(Value::from));
}
