"""`python -m gradtape`: what each command prints and returns."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gradtape import cli
from gradtape.version import VERSION


def test_version_is_printed_by_the_module():
    environment = {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-m", "gradtape", "--version"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"gradtape {VERSION}\n"


@pytest.mark.parametrize("arguments", [[], ["no-such-command"], ["demo", "extra"]])
def test_wrong_arguments_show_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert "usage: gradtape" in capsys.readouterr().err


def test_doctor_names_what_it_found(capsys):
    assert cli.main(["doctor"]) == 0
    printed = capsys.readouterr().out
    for name in ("gradtape", "python", "numpy", "ml_dtypes", "keras", "BLAS", "KERAS_BACKEND"):
        assert re.search(rf"^  {name} +\S", printed, re.MULTILINE), name


def test_doctor_fails_without_a_requirement(monkeypatch, capsys):
    monkeypatch.setattr(cli, "installed", lambda name: None if name == "keras" else "1.0")
    assert cli.main(["doctor"]) == 1
    assert re.search(r"^  keras +MISSING", capsys.readouterr().out, re.MULTILINE)


def test_demo_shows_the_gradients_and_a_falling_loss(capsys):
    assert cli.main(["demo"]) == 0
    printed = capsys.readouterr().out
    assert "dc/da = 2.0, dc/db = 3.0" in printed
    assert "dd/da = 2.0, dd/db = 3.0" in printed
    assert "de/da = 4.0, de/db = 6.0" in printed
    losses = [float(loss) for loss in re.findall(r"loss = ([\d.]+)", printed)]
    assert len(losses) == 11
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.1 * losses[0]
