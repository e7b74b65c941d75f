from pathlib import Path

import pytest
from support.auditing import sound_ledger


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound ledger of two origins; copy it, or roll back what is done to it."""
    return sound_ledger(tmp_path_factory.mktemp("sound"))
