"""Labs whose ledger is a copy of one that was made once: making it takes most of the time."""

import shutil
from pathlib import Path

import pytest
from support.builds import Lab
from support.cli import Host


@pytest.fixture(scope="session")
def new_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a ledger that holds nothing yet."""
    folder = tmp_path_factory.mktemp("new")
    assert Host(folder).atlas("init").returncode == 0
    return folder


@pytest.fixture
def bare_lab(new_ledger: Path, tmp_path: Path) -> Lab:
    """A repository without a commit."""
    folder = tmp_path / "lab"
    shutil.copytree(new_ledger, folder)
    return Lab(folder)
