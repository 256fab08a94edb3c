"""What every room's tests share: no silent skips in CI, the built zipapp, the interpreters."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SUPPORTED = ("3.11", "3.12", "3.13")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--no-skips",
        action="store_true",
        default=bool(os.environ.get("CI")),
        help="a test that would be skipped fails (on in CI)",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report: pytest.TestReport = yield
    return _no_skip(report, item.config)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report: pytest.CollectReport = yield
    return _no_skip(report, collector.config)


def _no_skip(report, config: pytest.Config):
    if report.skipped and not hasattr(report, "wasxfail") and config.getoption("--no-skips"):
        report.outcome = "failed"
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        report.longrepr = f"{report.nodeid} must run here: {reason}"
    return report


@pytest.fixture(scope="session")
def pyz() -> Path:
    """dist/reeval.pyz, built from the sources as they are."""
    built = subprocess.run(
        [sys.executable, str(ROOT / "build_pyz.py")], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    return ROOT / "dist" / "reeval.pyz"


@pytest.fixture(scope="session")
def pyz_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder that the session's starts of the zipapp share."""
    return tmp_path_factory.mktemp("reeval-cache")


@pytest.fixture(scope="session")
def interpreters() -> Mapping[str, str]:
    """Real interpreters by version, `{"3.12": "/…/bin/python3.12"}`: no version manager's shims."""
    found = dict(_versions())
    missing = [version for version in SUPPORTED if version not in found]
    if missing:
        pytest.skip(f"no interpreter found for Python {', '.join(missing)}")
    return found


def _versions() -> Iterator[tuple[str, str]]:
    """Every Python that starts, the preferred one of each version last."""
    folders = [*Path.home().glob(".pyenv/versions/*/bin"), *map(Path, os.get_exec_path()[::-1])]
    for folder in folders:
        for path in sorted(folder.glob("python[23].[0-9]*")):
            if path.suffix.strip(".").isdigit() and (version := _version_of(path)):
                yield version, str(path)


def _version_of(path: Path) -> str | None:
    program = "import sys; print('%d.%d %s' % (sys.version_info[:2] + (sys.executable,)))"
    try:
        told = subprocess.run([path, "-c", program], capture_output=True, text=True, check=False)
    except OSError:
        return None
    version, _, executable = told.stdout.strip().partition(" ")
    # A shim starts another program, which costs more than the start that is measured.
    return version if executable and os.path.samefile(executable, path) else None


@pytest.fixture(params=SUPPORTED)
def python(request: pytest.FixtureRequest, interpreters: Mapping[str, str]) -> str:
    """Each supported interpreter in turn."""
    return interpreters[request.param]
