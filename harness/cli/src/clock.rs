//! The present time.

use std::time::{SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;

use super::CliError;

/// The present time in UTC, in whole seconds.
///
/// # Errors
/// The clock of the machine is before 1970 or after the year 9999.
pub(super) fn now() -> Result<OffsetDateTime, CliError> {
    of(SystemTime::now())
}

fn of(now: SystemTime) -> Result<OffsetDateTime, CliError> {
    let seconds = now.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs());
    seconds
        .and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds.try_into().ok()?).ok())
        .ok_or_else(|| {
            CliError::Usage("the clock of this machine is before 1970 or after the year 9999".to_owned())
        })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_of_any_time_is_read() {
        for (seconds, year) in [
            (0, Some(1970)),
            (253_402_300_799, Some(9999)),
            (253_402_300_800, None),
        ] {
            let found = of(UNIX_EPOCH + Duration::from_secs(seconds));
            assert_eq!(found.ok().map(|date| date.year()), year, "{seconds}");
        }
        assert!(of(UNIX_EPOCH - Duration::from_secs(1)).is_err());
    }
}
