//! Extents of symbolic dimensions for a sweep: `batch=1,8,32`.

/// The maximum number of combinations of extents.
const MAX_POINTS: usize = 64;

/// Why extents are invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SweepError {
    /// A text has another form.
    #[error("`{0}` is not of the form NAME=N or NAME=N,N,…, as in batch=1,8,32")]
    Form(String),
    /// A dimension is given twice.
    #[error("dimension `{0}` is given twice; give all its extents at once, as in {0}=1,8")]
    Twice(String),
    /// There are too many combinations.
    #[error("{0} combinations of extents; at most {MAX_POINTS} are allowed")]
    TooMany(usize),
}

/// One combination of extents.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Point {
    /// Each dimension as `NAME=N`.
    pub dims: Vec<String>,
    /// Those of `dims` that have several extents.
    pub swept: Vec<String>,
}

/// All combinations of the extents in `texts`; the last dimension changes fastest. One empty point if
/// `texts` is empty.
///
/// # Errors
/// A text has another form, a dimension is given twice, or there are too many combinations.
pub fn sweep(texts: &[String]) -> Result<Vec<Point>, SweepError> {
    let (mut points, mut names) = (vec![Point::default()], Vec::new());
    for text in texts {
        let form = || SweepError::Form(text.clone());
        let (name, extents) = text.rsplit_once('=').ok_or_else(form)?;
        if names.contains(&name) {
            return Err(SweepError::Twice(name.to_owned()));
        }
        names.push(name);
        let extents = extents.split(',').map(|extent| extent.parse::<usize>());
        let extents: Vec<usize> = extents.collect::<Result<_, _>>().map_err(|_| form())?;
        let count = points.len().saturating_mul(extents.len());
        if count > MAX_POINTS {
            return Err(SweepError::TooMany(count));
        }
        let with = |point: &Point, extent: &usize| {
            let mut point = point.clone();
            let dim = format!("{name}={extent}");
            point.swept.extend((extents.len() > 1).then(|| dim.clone()));
            point.dims.push(dim);
            point
        };
        points = points
            .iter()
            .flat_map(|point| extents.iter().map(|extent| with(point, extent)))
            .collect();
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn every_combination_is_a_point() {
        let points = sweep(&texts(&["batch=1,8", "seq=16", "n=2,3"])).unwrap();
        let dims: Vec<String> = points.iter().map(|point| point.dims.join(" ")).collect();
        assert_eq!(
            dims,
            [
                "batch=1 seq=16 n=2",
                "batch=1 seq=16 n=3",
                "batch=8 seq=16 n=2",
                "batch=8 seq=16 n=3"
            ]
        );
        assert_eq!(points[3].swept, ["batch=8", "n=3"]);
        assert_eq!(sweep(&[]).unwrap(), [Point::default()]);
    }

    #[test]
    fn invalid_extents_are_errors() {
        for text in ["batch", "batch=", "batch=1,", "batch=-1", "batch=a", "batch=1;8"] {
            assert_eq!(sweep(&texts(&[text])), Err(SweepError::Form(text.to_owned())));
        }
        assert_eq!(
            sweep(&texts(&["a=1", "a=2"])),
            Err(SweepError::Twice("a".to_owned()))
        );
        let many = ["a=1,2,3,4,5,6,7,8,9", "b=1,2,3,4,5,6,7,8"];
        assert_eq!(sweep(&texts(&many)), Err(SweepError::TooMany(72)));
    }
}
