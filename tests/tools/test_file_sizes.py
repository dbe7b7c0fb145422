"""The check of file sizes: where it fails, where it warns, where it is silent."""

import pytest

from tools.check_file_sizes import main


@pytest.mark.parametrize(
    ("place", "lines", "status", "printed"),
    [
        ("core/tape.py", 400, 0, ""),
        ("core/tape.py", 401, 0, "warning: core/tape.py has 401 lines"),
        ("core/tape.py", 601, 1, "error: core/tape.py has 601 lines"),
        ("math.py", 600, 0, ""),
        ("math.py", 601, 0, "warning: math.py has 601 lines"),
    ],
)
def test_limits(tmp_path, capsys, place, lines, status, printed):
    path = tmp_path / "src" / "gradtape" / place
    path.parent.mkdir(parents=True)
    path.write_text("x = 1\n" * lines)
    assert main(tmp_path) == status
    out = capsys.readouterr().out
    assert out.startswith(printed) if printed else not out
