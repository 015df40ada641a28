//! Sums in twice the precision of f64.

/// A sum of two parts (T. Ogita, S. Rump, S. Oishi, *Accurate Sum and Dot Product*, 2005): its
/// error is below 2⁻¹⁰⁰ of the sum of magnitudes for the lengths that are used here.
#[derive(Clone, Copy, Default, Debug)]
pub struct Wide {
    high: f64,
    low: f64,
}

impl Wide {
    /// Adds a·b.
    pub fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.low += a.mul_add(b, -product);
        self.add(product);
    }

    fn add(&mut self, term: f64) {
        let sum = self.high + term;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (term - part);
        self.high = sum;
    }

    /// The sum, rounded to f64.
    pub fn value(self) -> f64 {
        self.high + self.low
    }

    /// `number` minus this sum. The difference of `number` and the high part is exact if they are
    /// within a factor of two.
    pub fn error_of(self, number: f64) -> f64 {
        (number - self.high) - self.low
    }

    /// The sum divided by a power of two.
    pub fn over(self, divisor: f64) -> Wide {
        Wide {
            high: self.high / divisor,
            low: self.low / divisor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelled_terms_are_not_lost() {
        let mut sum = Wide::default();
        let (a, b) = (700_f64.exp2(), 200_f64.exp2());
        for (a, b) in [(a, b), (3.0, 0.25), (-a, b)] {
            sum.add_product(a, b);
        }
        assert_eq!(sum.value(), 0.75);
        assert_eq!(sum.error_of(0.5), -0.25);
    }

    /// (1 + 2⁻⁵²)² = 1 + 2⁻⁵¹ + 2⁻¹⁰⁴: the last part is the error of the product in f64.
    #[test]
    fn products_are_exact() {
        let mut sum = Wide::default();
        sum.add_product(1.0 + f64::EPSILON, 1.0 + f64::EPSILON);
        assert_eq!(sum.error_of(1.0 + 2.0 * f64::EPSILON), -(-104_f64).exp2());
    }
}
