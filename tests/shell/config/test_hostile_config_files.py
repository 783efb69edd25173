"""A project's configuration is read before it is trusted, so no file may block the program.

Each of these once took minutes; a test that takes 30 s fails.
"""

from pathlib import Path

import pytest

from shell.config.config_file import MAX_BYTES, MAX_DOTS_PER_LINE, ConfigFileError, read_config_file

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"{'.'.join('a' * 50_000)} = 1", f"the line has more than {MAX_DOTS_PER_LINE} dots"),
        ("zz = [\n" + "1,\n" * 80_000 + "]\n", "zz: unknown key"),
        ("zz = [\n" + f'"{"x" * 300}",\n' * 800 + "]\n", "zz: unknown key"),
    ],
    ids=["key of many parts", "list of many lines", "list of long lines"],
)
def test_a_slow_file_is_rejected(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    assert path.stat().st_size < MAX_BYTES
    with pytest.raises(ConfigFileError) as raised:
        read_config_file(path)
    assert raised.value.args[0].startswith(f"{path}:1: {problem}")
