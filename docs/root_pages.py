"""Pages of the site whose text stands at the repository's root.

The changelog and the guide for contributors belong where people look for them in a repository. A
copy in docs/ would age, so the site takes the originals.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

PAGES = {"CHANGELOG.md": "changes.md", "CONTRIBUTING.md": "contributing.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the root's pages to those of docs/."""
    root = Path(config.config_file_path).parent
    for name, page in PAGES.items():
        text = (root / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    return files
