"""What each step of reading mail is worth: the share of disguised spam that is caught without it, and the accuracy.

    python benchmarks/ablation.py [trec | spamassassin | folders …] [--messages N] [--record]

Builds the core with the feature `ablation`, and leaves out one step of its catalogue (`crates/core/src/ablation.rs`)
at a time, in learning and in judging, each in a process of its own (`ablated.py`). Corpora, disguises and the threshold
are those of `disguise.py`; N spams of different texts are drawn at random. All of it is measured twice: of whole
messages, and of their content alone, where it is not enough how a message came.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import ablation_table
import environment
from disguise import CORPORA, LOST
from run import begin_record, keep_record

ROOT = environment.HERE.parent


def build() -> Path:
    """The compiled core from which a step can be left out."""
    command = ["cargo", "build", "--package", "deciban-python", "--features", "ablation", "--profile", "quick"]
    command += ["--locked", "--message-format", "json-render-diagnostics"]
    said = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    made = [json.loads(line) for line in said.splitlines()]
    found = [Path(each["filenames"][0]) for each in made if each.get("target", {}).get("name") == "_core"]
    return found[-1]


def install(core: Path, folder: Path) -> None:
    """A copy of the package in a folder, with this core."""
    skipped = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(ROOT / "python" / "deciban", folder / "deciban", ignore=skipped)
    shutil.copy(core, folder / "deciban" / f"_core{'.pyd' if os.name == 'nt' else '.abi3.so'}")


def within(folder: Path, command: list[str], step: str | None) -> Any:
    """What a process of Python prints as JSON, with the package in the folder, and without a step."""
    surroundings = {**os.environ, "PYTHONPATH": str(folder)}
    surroundings.pop("DECIBAN_WITHOUT", None)
    if step:
        surroundings["DECIBAN_WITHOUT"] = step
    done = subprocess.run([sys.executable, *command], env=surroundings, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def run(corpora: list[str], messages: int) -> dict[str, Any]:
    """What was found with all steps, and without each."""
    with tempfile.TemporaryDirectory(prefix="deciban-ablation-") as name:
        folder = Path(name)
        install(build(), folder)
        listing = "import json; from deciban import _core; print(json.dumps(_core.ablation_steps()))"
        steps = within(folder, ["-c", listing], None)
        command = [str(environment.HERE / "ablated.py"), str(messages), *corpora]
        found: dict[str, Any] = {"all": within(folder, command, None), "without": {}}
        for step in steps:
            print(f"without {step} …", file=sys.stderr, flush=True)
            found["without"][step] = within(folder, command, step)
    return found


def main() -> int:
    """0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", nargs="*", choices=[*CORPORA, []])
    parser.add_argument("--messages", type=int, default=300)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    record = begin_record(ham_lost=LOST, **run(asked.corpora or list(CORPORA), asked.messages))
    for view in ablation_table.VIEWS:
        print(f"\n{ablation_table.plain(record, view)}")
    if asked.record:
        keep_record(record, "ablation")
    return 0


if __name__ == "__main__":
    sys.exit(main())
