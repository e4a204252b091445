"""Tests with the real hosts: `make test-hosts` fetches them and runs these, the plain suite leaves them alone.

AFORESAID_HOSTS names the folder that the hosts are in; without it nothing here is collected.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from real_hosts.home import Home

collect_ignore_glob = [] if os.environ.get("AFORESAID_HOSTS") else ["*"]


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Iterator[Home]:
    """A home under a short path, because a socket may have to fit into it."""
    home = Home.made(tmp_path_factory.mktemp("h"), model_folder)
    yield home
    home.leave()
