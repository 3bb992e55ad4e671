"""Writes the files of kinds that are new, and what they say; what is there already is what must still load, and stays.

python tests/goldens/make.py
"""

import json
import tempfile
from pathlib import Path

from golden_kinds import KINDS, says

HERE = Path(__file__).parent
ANSWERS = HERE / "answers.json"


def main() -> None:
    answers = json.loads(ANSWERS.read_text(encoding="utf-8")) if ANSWERS.exists() else {}
    for name, write in KINDS.items():
        path = HERE / "files" / f"{name.replace(' ', '-')}.deciban"
        if path.exists():
            continue
        write(path)
        with tempfile.TemporaryDirectory() as scratch:
            answers[name] = says(name, path, Path(scratch))
        ANSWERS.write_text(json.dumps(answers, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
