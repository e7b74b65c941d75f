"""The demo does what it shows, and leaves a ledger that answers."""

from support.cli import Host


def test_the_demo_runs_and_can_be_kept(host: Host) -> None:
    kept = host.folder / "day"
    done = host.process("demo", "--keep", str(kept))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "chain: clean" in done.stdout
    assert "your own machine" in done.stdout
    rows = host.atlas("--ledger", str(kept / "atlas.duckdb"), "query", "rows", "--format", "csv")
    assert "measured" in rows.stdout
    fit = host.atlas("--ledger", str(kept / "atlas.duckdb"), "render-fit", "latest")
    assert "objects for 1 of 4 profiled kernels" in fit.stdout
    assert "without an object: gemv_hfq4g256_residual" in fit.stdout
    assert "by time" in fit.stdout
    assert "kernels/src/rmsnorm_rotate.hip" in fit.stdout
