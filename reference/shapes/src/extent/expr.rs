//! Integers over unknowns: polynomials with integer coefficients.

/// An unknown integer, or a function of other integers that is no polynomial. The number is its
/// position in [`Symbols`](crate::Symbols).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom(pub(crate) u32);

/// A product of atoms with a coefficient that is not zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Term {
    /// Sorted; an atom occurs as often as its power.
    pub factors: Vec<Atom>,
    pub coefficient: i64,
}

/// An integer: a constant, or a polynomial over atoms. Two equal expressions have one form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Expr {
    /// Sorted by factors, none of which is empty.
    pub(crate) terms: Vec<Term>,
    pub(crate) constant: i64,
}

/// A longer sum is not followed.
const MAX_TERMS: usize = 48;
/// A product of more atoms is not followed.
const MAX_FACTORS: usize = 12;

impl From<i64> for Expr {
    fn from(constant: i64) -> Expr {
        Expr {
            terms: Vec::new(),
            constant,
        }
    }
}

impl From<Atom> for Expr {
    fn from(atom: Atom) -> Expr {
        Expr {
            terms: vec![Term {
                factors: vec![atom],
                coefficient: 1,
            }],
            constant: 0,
        }
    }
}

impl Expr {
    /// The value, if it is a constant.
    pub fn constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The atom, if the expression is one.
    pub fn atom(&self) -> Option<Atom> {
        match (self.terms.as_slice(), self.constant) {
            ([term], 0) if term.coefficient == 1 => match term.factors.as_slice() {
                [atom] => Some(*atom),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is this constant.
    pub fn is(&self, constant: i64) -> bool {
        self.constant() == Some(constant)
    }

    /// The constant part.
    pub(crate) fn offset(&self) -> Expr {
        self.constant.into()
    }

    /// The expression without its constant part.
    pub(crate) fn shifted(&self) -> Expr {
        Expr {
            terms: self.terms.clone(),
            constant: 0,
        }
    }

    /// The atoms that occur directly, with repetitions.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = Atom> {
        self.terms.iter().flat_map(|term| term.factors.iter().copied())
    }

    /// The sum; `None` if a coefficient overflows or the sum is too long.
    pub fn plus(&self, other: &Expr) -> Option<Expr> {
        let constant = self.constant.checked_add(other.constant)?;
        if other.terms.is_empty() {
            return Some(Expr {
                terms: self.terms.clone(),
                constant,
            });
        }
        let terms = self.terms.iter().chain(&other.terms).cloned().collect();
        Expr::collected(terms, constant)
    }

    /// The difference; `None` as for [`Expr::plus`].
    pub fn minus(&self, other: &Expr) -> Option<Expr> {
        self.plus(&other.scaled(-1)?)
    }

    /// The multiple; `None` if a coefficient overflows.
    pub fn scaled(&self, by: i64) -> Option<Expr> {
        if by == 0 {
            return Some(Expr::default());
        }
        let scale = |term: &Term| {
            Some(Term {
                factors: term.factors.clone(),
                coefficient: term.coefficient.checked_mul(by)?,
            })
        };
        Some(Expr {
            terms: self.terms.iter().map(scale).collect::<Option<_>>()?,
            constant: self.constant.checked_mul(by)?,
        })
    }

    /// The product; `None` as for [`Expr::plus`].
    pub fn times(&self, other: &Expr) -> Option<Expr> {
        match (self.constant(), other.constant()) {
            (Some(by), _) => return other.scaled(by),
            (_, Some(by)) => return self.scaled(by),
            (None, None) => {}
        }
        let mut terms = Vec::new();
        for a in self.with_constant() {
            for b in other.with_constant() {
                let mut factors: Vec<Atom> = a.factors.iter().chain(&b.factors).copied().collect();
                factors.sort_unstable();
                if factors.len() > MAX_FACTORS {
                    return None;
                }
                let coefficient = a.coefficient.checked_mul(b.coefficient)?;
                terms.push(Term { factors, coefficient });
            }
        }
        Expr::collected(terms, 0)
    }

    /// The terms, with the constant as a term without factors.
    fn with_constant(&self) -> impl Iterator<Item = Term> + '_ {
        let constant = (self.constant != 0).then(|| Term {
            factors: Vec::new(),
            coefficient: self.constant,
        });
        self.terms.iter().cloned().chain(constant)
    }

    /// Adds up terms with equal factors.
    pub(crate) fn collected(mut terms: Vec<Term>, mut constant: i64) -> Option<Expr> {
        terms.sort_unstable_by(|a, b| a.factors.cmp(&b.factors));
        let mut sum: Vec<Term> = Vec::with_capacity(terms.len());
        for term in terms {
            if term.factors.is_empty() {
                constant = constant.checked_add(term.coefficient)?;
                continue;
            }
            match sum.last_mut() {
                Some(last) if last.factors == term.factors => {
                    last.coefficient = last.coefficient.checked_add(term.coefficient)?;
                }
                _ => sum.push(term),
            }
        }
        sum.retain(|term| term.coefficient != 0);
        (sum.len() <= MAX_TERMS).then_some(Expr { terms: sum, constant })
    }

    /// The greatest common divisor of the coefficients of the terms; 0 for a constant.
    pub(crate) fn content(&self) -> i64 {
        self.terms
            .iter()
            .fold(0, |known, term| gcd(known, term.coefficient))
    }

    /// The quotient of two expressions if it is a polynomial: a single term divides every term. With
    /// `other` zero there is none.
    pub(crate) fn exact_quotient(&self, other: &Expr) -> Option<Expr> {
        let mut divisors = other.with_constant();
        let (divisor, None) = (divisors.next()?, divisors.next()) else {
            return (self == other).then(|| Expr::from(1));
        };
        let mut terms = Vec::new();
        for term in self.with_constant() {
            let mut factors = term.factors;
            for atom in &divisor.factors {
                let at = factors.iter().position(|known| known == atom)?;
                factors.remove(at);
            }
            let coefficient = term.coefficient.checked_rem(divisor.coefficient)?;
            if coefficient != 0 {
                return None;
            }
            let coefficient = term.coefficient.checked_div(divisor.coefficient)?;
            terms.push(Term { factors, coefficient });
        }
        Expr::collected(terms, 0)
    }

    /// The greatest single term that divides both, with coefficient.
    pub(crate) fn common_factor(&self, other: &Expr) -> Expr {
        let mut all = self.with_constant().chain(other.with_constant());
        let Some(mut common) = all.next() else {
            return Expr::from(1);
        };
        for term in all {
            common.coefficient = gcd(common.coefficient, term.coefficient);
            let mut rest = term.factors;
            common.factors.retain(|atom| {
                let at = rest.iter().position(|known| known == atom);
                at.map(|at| rest.remove(at)).is_some()
            });
        }
        common.coefficient = gcd(common.coefficient, 0).max(1);
        Expr::collected(vec![common], 0).unwrap_or_else(|| Expr::from(1))
    }
}

/// The greatest common divisor, not negative; one that does not fit is 1.
fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}
