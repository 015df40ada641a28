//! Convolutions of image models against the peak of the processor.
#![allow(clippy::print_stdout, reason = "a program whose result is what it prints")]

mod common;

use common::{Candidate, interleaved, peak, values};
use native_kernels::conv::{ConvShape, Convolution, InputLayout, Window, Winograd, WinogradTile};
use native_kernels::{Bias, Buffer, Epilogue, Isa, Pool};

/// Name, image, channels in and out, window.
fn shapes() -> Vec<(&'static str, usize, [usize; 2], Window)> {
    let square = Window::square;
    vec![
        ("resnet first 7×7", 224, [3, 64], square(7, 2, 3)),
        ("resnet 3×3 a", 56, [64, 64], square(3, 1, 1)),
        ("resnet 3×3 b", 28, [128, 128], square(3, 1, 1)),
        ("resnet 3×3 c", 14, [256, 256], square(3, 1, 1)),
        ("resnet 3×3 d", 7, [512, 512], square(3, 1, 1)),
        ("resnet 1×1 a", 56, [64, 256], square(1, 1, 0)),
        ("resnet 1×1 b", 28, [512, 128], square(1, 1, 0)),
        ("resnet 1×1 c", 14, [1024, 256], square(1, 1, 0)),
        ("resnet 1×1 d", 7, [2048, 512], square(1, 1, 0)),
        ("resnet 1×1 e", 7, [512, 2048], square(1, 1, 0)),
        ("resnet 1×1 s2", 56, [256, 512], square(1, 2, 0)),
        ("densenet 3×3 a", 56, [128, 32], square(3, 1, 1)),
        ("densenet 3×3 b", 14, [128, 32], square(3, 1, 1)),
        ("densenet 1×1", 28, [256, 128], square(1, 1, 0)),
        ("vgg first", 224, [3, 64], square(3, 1, 1)),
        ("vgg a", 224, [64, 64], square(3, 1, 1)),
        ("vgg b", 112, [128, 128], square(3, 1, 1)),
        ("vgg c", 56, [256, 256], square(3, 1, 1)),
        ("vgg d", 28, [512, 512], square(3, 1, 1)),
        ("vgg e", 14, [512, 512], square(3, 1, 1)),
        ("inception 5×5", 14, [32, 64], square(5, 1, 2)),
    ]
}

fn main() {
    let pools: Vec<Pool> = Isa::available()
        .into_iter()
        .rev()
        .take(2)
        .filter_map(|isa| Pool::with_isa(1, isa).ok())
        .collect();
    println!("one thread; GFLOP/s (% of the peak of its instruction set, measured in the same rounds)");
    for (name, size, [ins, outs], window) in shapes() {
        let shape = ConvShape {
            in_channels: ins,
            out_channels: outs,
            groups: 1,
            window,
        };
        let layout = if ins < 8 {
            InputLayout::Plain
        } else {
            InputLayout::Blocked
        };
        let weights = values(outs * ins * window.kernel[0] * window.kernel[1]);
        let bias = values(outs);
        let [oh, ow] = window.output([size, size]).unwrap();
        let operations = (2 * weights.len() * oh * ow) as f64;
        let x = Buffer::from_slice(&values(ins.next_multiple_of(16) * size * size));
        let mut results: Vec<Buffer<f32>> = pools
            .iter()
            .map(|_| Buffer::zeroed(outs.next_multiple_of(16) * oh * ow))
            .collect();
        let convs: Vec<Convolution> = pools
            .iter()
            .map(|pool| Convolution::new(pool, shape, layout, &weights).unwrap())
            .collect();
        let mut work = vec![0.0; pools.len()];
        let winograd = |tile| Winograd::new(&pools[0], shape, tile, &weights).unwrap();
        let fits = Winograd::fits(&shape) && layout == InputLayout::Blocked;
        let transformed: Vec<Winograd> = if fits {
            [WinogradTile::Two, WinogradTile::Four].map(winograd).into()
        } else {
            Vec::new()
        };
        let y = std::cell::RefCell::new(Buffer::zeroed(outs.next_multiple_of(16) * oh * ow));
        let mut candidates = Vec::new();
        for (pool, work) in pools.iter().zip(&mut work) {
            candidates.push(Candidate::new("peak", move || *work = peak::burst(pool.isa())));
        }
        for ((pool, conv), y) in pools.iter().zip(&convs).zip(&mut results) {
            let (x, bias) = (&x, &bias);
            candidates.push(Candidate::new(format!("{:?}", pool.isa()), move || {
                let epilogue = Epilogue {
                    bias: Bias::Column(bias),
                    ..Epilogue::default()
                };
                conv.run(pool, 1, [size, size], x, &epilogue, y).unwrap();
            }));
        }
        for conv in &transformed {
            let (x, bias, pool, y) = (&x, &bias, &pools[0], &y);
            candidates.push(Candidate::new("winograd", move || {
                let epilogue = Epilogue {
                    bias: Bias::Column(bias),
                    ..Epilogue::default()
                };
                conv.run(pool, 1, [size, size], x, &epilogue, &mut y.borrow_mut())
                    .unwrap();
            }));
        }
        let times = interleaved(&mut candidates);
        drop(candidates);
        print!("{name:<18} {size:>3}² {ins:>4} → {outs:<4}");
        for (i, pool) in pools.iter().enumerate() {
            let peak = work[i] / times[i] / 1e9;
            let rate = operations / times[pools.len() + i] / 1e9;
            print!(
                "  {:?} {rate:5.0} of {peak:3.0} ({:2.0}%)",
                pool.isa(),
                100.0 * rate / peak
            );
        }
        for (name, time) in ["F(2,3)", "F(4,3)"].iter().zip(&times[2 * pools.len()..]) {
            print!("  {name} ×{:.2}", times[pools.len()] / time);
        }
        println!();
    }
}
