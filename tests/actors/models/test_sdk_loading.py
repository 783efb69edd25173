"""The SDK takes longer to load than the whole program: it must wait until it is needed."""

import subprocess
import sys


def test_importing_the_model_side_does_not_load_the_sdk() -> None:
    code = (
        "import sys, actors.models.anthropic_client, actors.models.rehearsal, "
        "actors.models.demo_script; sys.exit('anthropic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
