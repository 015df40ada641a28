"""Takes the programs with their manual pages into the wheel, and names the platform that they need."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Programs(BuildHookInterface):
    """The programs of the folder `bin` and the files of `share`, for the platform that `VERSION` names."""

    def initialize(self, version: str, build_data: dict) -> None:
        """Adds them to the data of a build."""
        root = Path(self.root)
        about = dict(line.split(" ", 1) for line in (root / "VERSION").read_text().splitlines())
        build_data["tag"] = f"py3-none-{about['platform']}"
        build_data["pure_python"] = False
        share = (path for path in (root / "share").rglob("*") if path.is_file())
        build_data["shared_data"] = {str(path): str(path.relative_to(root)) for path in sorted(share)}
        build_data["shared_scripts"] = {str(path): path.name for path in sorted((root / "bin").iterdir())}
