use std::time::{Duration, SystemTime};

use super::*;

/// A checkout with a program `p` of two files, which cargo has just built.
fn built() -> (tempfile::TempDir, Checkout) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("a checkout");
    let checkout = Checkout {
        programs: root.join("target/debug"),
        root: root.clone(),
    };
    for file in [
        "Cargo.toml",
        "Cargo.lock",
        "c/Cargo.toml",
        "c/src/main.rs",
        "c/data.txt",
        "target/debug/p",
    ] {
        let path = root.join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, file).expect("a file");
        set_time(&path, SystemTime::now() - Duration::from_secs(60));
    }
    let escaped = root.display().to_string().replace(' ', "\\ ");
    let rule = format!("{escaped}/target/debug/p: {escaped}/c/src/main.rs {escaped}/c/src/../data.txt\n");
    fs::write(checkout.program("p.d"), rule).expect("a rule");
    checkout
        .begin(&["p"])
        .and_then(|()| checkout.end(&["p"]))
        .expect("a stamp");
    (folder, checkout)
}

fn set_time(path: &Path, time: SystemTime) {
    let file = File::options().append(true).open(path).expect("the file");
    file.set_modified(time).expect("a time");
}

#[test]
fn a_program_is_current_until_a_file_of_it_changes() {
    let (_folder, checkout) = built();
    assert!(checkout.is_current("p"));
    assert!(!checkout.is_current("q"), "it was never built");
    for changed in [
        "c/src/main.rs",
        "c/data.txt",
        "c/Cargo.toml",
        "Cargo.toml",
        "Cargo.lock",
    ] {
        let (_folder, checkout) = built();
        set_time(
            &checkout.root.join(changed),
            SystemTime::now() + Duration::from_secs(5),
        );
        assert!(!checkout.is_current("p"), "{changed} changed");
    }
    for removed in [
        "c/data.txt",
        "target/debug/p",
        "target/debug/p.d",
        "target/debug/.xtask/p",
    ] {
        let (_folder, checkout) = built();
        fs::remove_file(checkout.root.join(removed)).expect("the file");
        assert!(!checkout.is_current("p"), "{removed} is gone");
    }
}

#[test]
fn a_program_of_other_flags_is_not_current() {
    let (_folder, checkout) = built();
    fs::write(checkout.stamp("p"), "-C target-cpu=native\n").expect("a stamp");
    assert!(!checkout.is_current("p"));
}

#[test]
fn what_is_current_is_not_built() {
    let (_folder, checkout) = built();
    // There is no workspace: cargo would fail.
    assert!(checkout.build(&["p"]).expect("no cargo").success());
}

#[test]
fn a_copied_checkout_is_not_that_of_the_build() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("target");
    assert_eq!(checkout_of(&target), None, "a target folder elsewhere");
    let launcher = folder.path().join("xtask/launcher");
    fs::create_dir_all(&launcher).expect("a folder");
    fs::write(launcher.join("Cargo.toml"), "").expect("a file");
    assert_eq!(checkout_of(&target).as_deref(), Some(folder.path()));
}

#[test]
fn a_target_folder_that_cargo_did_not_make_is_one() {
    for of_cargo in OF_TARGET {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("target");
        let program = target.join("debug/deps/p");
        assert_eq!(target_of(&program), None, "no cargo");
        fs::create_dir(&target).expect("a folder");
        fs::write(target.join(of_cargo), "").expect("a file");
        assert_eq!(target_of(&program), Some(target.as_path()), "{of_cargo}");
    }
}
