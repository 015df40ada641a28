"""Takes the programs into the wheel, and names the platform that they need."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Programs(BuildHookInterface):
    """The programs of the folder `bin`, for the platform that `VERSION` names."""

    def initialize(self, version: str, build_data: dict) -> None:
        """Adds them to the data of a build."""
        root = Path(self.root)
        about = dict(line.split(" ", 1) for line in (root / "VERSION").read_text().splitlines())
        build_data["tag"] = f"py3-none-{about['platform']}"
        build_data["pure_python"] = False
        build_data["shared_scripts"] = {str(path): path.name for path in sorted((root / "bin").iterdir())}
