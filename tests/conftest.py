from pathlib import Path

import pytest
from support.cli import Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A folder with no repository, and a ledger in it."""
    return Host(tmp_path)
