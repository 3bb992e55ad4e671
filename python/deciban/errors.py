"""What can go wrong outside this program, each with the exit code that sysexits.h gives it.

A message says in one to three sentences what was expected, what came, where, and what to do about it.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class DecibanError(Exception):
    """Everything this package raises on purpose. `exit_code` is what the command ends with."""

    exit_code: ClassVar[int] = 70


class UsageError(DecibanError):
    """The command or the call is wrong, whatever the data: EX_USAGE."""

    exit_code = 64


class DataError(DecibanError, ValueError):
    """The data was read and is not what it should be: EX_DATAERR."""

    exit_code = 65


class NotSeparableError(DataError):
    """Nothing separates the two classes. `mixture` (N,) are weights of the examples, of either class summing to 1,
    which make the same point of both, and `witness` (d,) is that point, where it has coordinates.
    """

    def __init__(self, witness: NDArray[np.float64] | None, mixture: NDArray[np.float64], told: str = "") -> None:
        self.witness, self.mixture = witness, mixture
        what, fact = "the kernel separates, and it does not separate", told
        if witness is not None:
            shown = ", ".join(f"{x:.4g}" for x in witness[:6]) + (", …" if len(witness) > 6 else "")
            what = "a hyperplane separates, and none separates"
            fact = f"the point ({shown}) is a mixture of examples of either class"
        super().__init__(
            f"the hard margin (C=inf) needs classes that {what} these: {fact}. "
            "Give a finite C, which lets errors have a price."
        )


class InfeasibleError(DataError):
    """No z satisfies A z ≥ a. `multipliers` (m,) ≥ 0, summing to 1, show it: Aᵀu = 0 and aᵀu > 0 (Farkas 1902)."""

    def __init__(self, multipliers: NDArray[np.float64]) -> None:
        self.multipliers = multipliers
        heaviest = sorted(sorted(range(len(multipliers)), key=lambda i: -float(multipliers[i]))[:6])
        shown = ", ".join(str(i) for i in heaviest if multipliers[i] > 1e-6)
        super().__init__(
            f"no z satisfies A z ≥ a: a mixture of the rows {shown} asks 0 to be above 0. "
            "A programme must have a point that satisfies all rows. Relax or drop one of these rows."
        )


class UnboundedError(DataError):
    """An objective falls for ever along `direction` d (n,): Qd = 0, Ad ≥ 0 and cᵀd < 0."""

    def __init__(self, direction: NDArray[np.float64]) -> None:
        self.direction = direction
        shown = ", ".join(f"{x:.4g}" for x in direction[:6]) + (", …" if len(direction) > 6 else "")
        super().__init__(
            f"the objective falls for ever along the direction ({shown}). A programme must have a minimum. "
            "Add a constraint, or curvature to Q, along it."
        )


class NoInputError(DecibanError):
    """An input is not there or may not be read: EX_NOINPUT."""

    exit_code = 66

    def __str__(self) -> str:  # OSError would put its number before the sentence
        return str(self.args[0]) if self.args else ""


class NotFoundInputError(NoInputError, FileNotFoundError):
    """There is no input of that name."""


class ForbiddenInputError(NoInputError, PermissionError):
    """An input is there and may not be read."""


class FolderInputError(NoInputError, IsADirectoryError):
    """An input is a folder where a file was expected."""


class StorageError(DecibanError):
    """Reading or writing broke off half-way: EX_IOERR."""

    exit_code = 74


def shown(name: str) -> str:
    """`name` as a message may print it: control characters and bytes that are not UTF-8 are escaped.

    >>> shown("Junk" + chr(27) + "[2J" + chr(0xDCFF))
    'Junk\\\\x1b[2J\\\\xff'
    """
    return name if name.isprintable() else "".join(map(_escaped, name))


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # a byte that the file system's encoding could not decode
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def unreadable(path: str, error: OSError | ValueError) -> NoInputError:
    """What `error`, raised on looking at or opening `path`, means to the person who named it."""
    found = _unreadable(path, error)
    if isinstance(found, OSError) and isinstance(error, OSError):
        found.errno, found.strerror, found.filename = error.errno, error.strerror, path
    return found


def _unreadable(path: str, error: OSError | ValueError) -> NoInputError:
    name = shown(path)
    if isinstance(error, PermissionError):
        return ForbiddenInputError(f"{name}: expected to read it; permission was denied. Change its mode or its owner.")
    if isinstance(error, IsADirectoryError):
        return FolderInputError(f"{name}: expected a file; this is a folder. Name the file in it.")
    if isinstance(error, OSError) and not isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return NoInputError(f"{name}: expected to read it; the system said: {error.strerror}.")
    # ValueError is what Python makes of a NUL in a name.
    return NotFoundInputError(f"{name}: expected a file or a folder; there is none of that name.{_closest(path)}")


def _closest(path: str) -> str:
    folder, name = os.path.split(path.rstrip("/"))
    try:
        near = get_close_matches(name, os.listdir(folder or "."), n=1)
    except (OSError, ValueError):
        return ""
    return f" Did you mean {shown(os.path.join(folder, near[0]))}?" if near else ""
