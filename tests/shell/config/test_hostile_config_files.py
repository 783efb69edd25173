"""A project's configuration is read before anybody trusts it: none may hold the program up.

Each of these took minutes; a test that takes half of one fails.
"""

from pathlib import Path

import pytest

from shell.config.config_file import MAX_BYTES, MAX_DOTS_PER_LINE, ConfigFileError, read_config_file

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{'.'.join('a' * 50_000)} = 1", f"a line with more than {MAX_DOTS_PER_LINE} dots"),
        ("zz = [\n" + "1,\n" * 80_000 + "]\n", "zz: no such key"),
        ("zz = [\n" + f'"{"x" * 300}",\n' * 800 + "]\n", "zz: no such key"),
    ],
    ids=["a key of many parts", "a list of many lines", "a list of long lines"],
)
def test_a_file_that_is_slow_to_parse_is_refused(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    assert path.stat().st_size < MAX_BYTES
    with pytest.raises(ConfigFileError) as refused:
        read_config_file(path)
    assert refused.value.args[0].startswith(f"{path}:1: {told}")
