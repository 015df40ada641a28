#![allow(missing_docs, clippy::print_stdout)]
use onnx_model::*;
use std::time::Instant;
fn main() {
    let root = std::env::args().nth(1).unwrap();
    let limits = Limits::default();
    let (mut models, mut bad, mut values, mut badv, mut rt) = (0, 0, 0, 0, 0);
    let t = Instant::now();
    let mut dirs = vec![std::path::PathBuf::from(&root)];
    let mut enc = std::time::Duration::ZERO;
    let mut slow = (std::time::Duration::ZERO, String::new());
    while let Some(d) = dirs.pop() {
        for e in std::fs::read_dir(&d).unwrap() {
            let p = e.unwrap().path();
            if p.is_dir() { dirs.push(p); continue; }
            if p.extension().is_none_or(|x| x != "onnx") { continue; }
            models += 1;
            let t1 = Instant::now();
            let m = match Model::decode_file(&p, &limits) { Ok(m) => m, Err(e) => { bad += 1; println!("{e}"); continue; } };
            if t1.elapsed() > slow.0 { slow = (t1.elapsed(), p.display().to_string()); }
            let t2 = Instant::now();
            let b = m.encode();
            let m2 = Model::decode(&b, &Source::named("again"), &limits).unwrap();
            if b != m2.encode() || format!("{m:?}") != format!("{m2:?}") { println!("round trip differs {p:?}"); }
            rt += 1;
            enc += t2.elapsed();
            let dir = p.parent().unwrap();
            for s in std::fs::read_dir(dir).unwrap() {
                let s = s.unwrap().path();
                if !s.is_dir() { continue; }
                for v in std::fs::read_dir(&s).unwrap() {
                    let v = v.unwrap().path();
                    let n = v.file_stem().unwrap().to_str().unwrap().to_owned();
                    let (list, k) = if let Some(k) = n.strip_prefix("input_") { (m.graph.required_inputs().map(|i| i.value_type.clone()).collect::<Vec<_>>(), k) }
                        else if let Some(k) = n.strip_prefix("output_") { (m.graph.outputs.iter().map(|i| i.value_type.clone()).collect(), k) } else { println!("other {v:?}"); continue };
                    let k: usize = k.parse().unwrap();
                    let Some(Some(ty)) = list.get(k) else { println!("no type {v:?} {k} of {}", list.len()); badv += 1; continue };
                    values += 1;
                    let bytes = std::fs::read(&v).unwrap();
                    match decode_value(&bytes, ty, &limits) {
                        Ok(value) => {
                            let again = encode_value(&value, "");
                            let value2 = decode_value(&again, ty, &limits).unwrap();
                            if format!("{value:?}") != format!("{value2:?}") { println!("value round trip {v:?}"); }
                            if !value.value_type().same_kind(ty) { println!("type differs {v:?}: {} for {ty}", value.value_type()); }
                        }
                        Err(e) => { badv += 1; println!("{v:?} {ty}: {e}"); }
                    }
                }
            }
        }
    }
    println!("{models} models, {bad} bad, {rt} round trips ({enc:?}), {values} values, {badv} bad, {:?}, slowest {slow:?}", t.elapsed());
}
