"""Makes the Python environment of a worker with pinned versions, and prints the `--backend` option for it.

python3 make_venv.py NAME FOLDER
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements"
NAMES = sorted(path.stem for path in REQUIREMENTS.glob("*.txt"))
# No wheel of the package registry has PyTorch without CUDA; Debian has it (python3-torch, python3-torchvision).
OF_THE_SYSTEM = {"pytorch": ("/usr/bin/python3", "torch, torchvision")}


def make(name: str, folder: Path) -> Path:
    """Makes an environment with the SDK and the packages of the worker; returns its interpreter."""
    interpreter, modules = OF_THE_SYSTEM.get(name, (sys.executable, ""))
    if modules:
        subprocess.run([interpreter, "-c", f"import {modules}"], check=True)
    site = ["--system-site-packages"] if modules else []
    subprocess.run([interpreter, "-m", "venv", *site, folder], check=True)
    python = folder / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if modules:
        # Modules of the system are not in the list and must not be downloaded.
        install.append("--no-deps")
    subprocess.run([*install, "--require-hashes", "-r", REQUIREMENTS / f"{name}.txt"], check=True)
    # The list has the build system of the SDK: an isolated build would download one without a hash.
    subprocess.run([*install, "--no-deps", "--no-build-isolation", HERE.parent], check=True)
    return python


def main() -> None:
    """Parses the arguments, makes the environment, prints the `--backend` option."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    python = make(given.name, given.folder.resolve())
    sys.stdout.write(f"--backend 'cmd:{python} {HERE / f'run_{given.name}.py'}'\n")


if __name__ == "__main__":
    main()
