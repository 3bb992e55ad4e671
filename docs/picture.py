"""Draws docs/explain.svg: a message of the sample mailbox, explained as the terminal shows it.

python docs/picture.py
"""

import re
from importlib.resources import as_file, files
from io import StringIO
from pathlib import Path

from rich.console import Console

from deciban.mail.filter import train_files
from deciban.mail.sources import find
from deciban.report.explanation import explanation
from deciban.report.terminal import Screen

MESSAGE = "held-out/spam/en-011-phish-password-expiry.eml"
WIDTH = 100


def draw(target: Path) -> None:
    """Train on the sample mailbox, explain one message of its held-out part, write the picture."""
    with as_file(files("deciban") / "sample") as sample:
        filter_, _ = train_files(find([str(sample / "train")]))
        found = filter_.model.compile().explain((sample / MESSAGE).read_bytes())
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print("$ deciban explain filter.deciban mail.eml", style="bold", highlight=False)
    for line in explanation(found, "mail.eml", Screen(WIDTH, colour=True), top=12):
        console.print(line, soft_wrap=True)
    picture = console.export_svg(title="deciban", unique_id="deciban")
    picture = re.sub(r"@font-face \{.*?\}\n", "", picture, flags=re.DOTALL)  # no font from the network
    target.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    draw(Path(__file__).with_name("explain.svg"))
