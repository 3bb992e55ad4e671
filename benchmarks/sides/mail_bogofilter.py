"""bogofilter: its commands in their fastest form, and the scores they print.

Training takes a process for each class (there is no other way), judging one for all. An mbox is read by name; a
folder as a list of its files on standard input (`-b`), which is prepared beforehand. The Berkeley DB cache is set
to hold the whole word list. Scores are printed with 17 decimals, the spacing of bogofilter's own numbers near 1.
"""

from __future__ import annotations

from pathlib import Path

import environment
from corpora import Mail
from measure import Finished, process

VERDICTS = (0, 1, 2)  # exit statuses: spam, ham, unsure


class Bogofilter:
    """`bogofilter -s`, `-n`, and judging, on whole corpora."""

    def __init__(self, mail: Mail, shape: str, folder: Path, cache_mb: int) -> None:
        self.command = environment.bogofilter()
        self.mail, self.shape, self.folder = mail, shape, folder
        self.words, self.printed = folder / "words", folder / "printed.txt"
        self.base = [self.command, "-C", "-k", str(cache_mb), "-d", str(self.words)]
        self.words.mkdir(parents=True)
        for part in ("train", "test"):
            for label in ("spam", "ham"):
                self._names(part, label).write_text(self._list(part, label))
        every = "".join(self._names("test", label).read_text() for label in ("spam", "ham"))
        self._names("test", "every").write_text(every)

    def version(self) -> str:
        """What the command says of itself."""
        return environment.version_of(self.command)

    def train(self) -> Finished:
        """Two processes, one after the other, on an empty word list."""
        for file in self.words.iterdir():
            file.unlink()
        spam, ham = (
            process([*self.base, flag, *self._how()], stdin=self._names("train", label))
            for flag, label in (("-s", "spam"), ("-n", "ham"))
        )
        return Finished(spam.wall_s + ham.wall_s, spam.cpu_s + ham.cpu_s)

    def classify(self) -> Finished:
        """One process judges both classes of the test part."""
        command = [*self.base, "-v", "--header-format=%c %0.17f", *self._how()]
        return process(command, stdin=self._names("test", "every"), stdout=self.printed, allowed=VERDICTS)

    def scores(self) -> list[tuple[float, bool]]:
        """The printed score of each message, and whether it was spam."""
        spam_box = str(self.mail.path("test", "spam", self.shape))
        lines = self.printed.read_text(errors="replace").splitlines()
        return [(float(line.rsplit(" ", 1)[1]), line.startswith(spam_box)) for line in lines]

    def judge_one(self, message: Path) -> Finished:
        """One message, one process."""
        return process([*self.base, "-v", "-I", str(message)], allowed=VERDICTS)

    def _how(self) -> list[str]:
        return ["-M", "-b"] if self.shape == "mbox" else ["-b"]

    def _names(self, part: str, label: str) -> Path:
        return self.folder / f"{part}-{label}.names"

    def _list(self, part: str, label: str) -> str:
        path = self.mail.path(part, label, self.shape)
        files = [path] if path.is_file() else sorted(path.iterdir())
        return "".join(f"{file}\n" for file in files)
