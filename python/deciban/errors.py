"""Errors outside this program, each with the exit code that sysexits.h gives it.

A message says in one to three sentences what was expected, what came, where, and what to do about it.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class DecibanError(Exception):
    """The base class of all errors that Deciban raises on purpose.

    Attributes
    ----------
    exit_code : int
        Exit code of the command, as in sysexits.h.

    Examples
    --------
    >>> from deciban.errors import DataError
    >>> issubclass(DataError, DecibanError), DataError.exit_code
    (True, 65)
    """

    exit_code: ClassVar[int] = 70


class UsageError(DecibanError):
    """The command or the call is wrong, whatever the data (EX_USAGE).

    Examples
    --------
    >>> UsageError("no such option").exit_code
    64
    """

    exit_code = 64


class DataError(DecibanError, ValueError):
    """The data were read and are not what they should be (EX_DATAERR).

    Examples
    --------
    >>> isinstance(DataError("X has NaN"), ValueError)
    True
    """

    exit_code = 65


class NotSeparableError(DataError):
    """No hyperplane, or kernel machine, separates the two classes.

    Parameters
    ----------
    witness : ndarray of shape (n_features,) or None
        A point that is a mixture of the examples of either class; None where it has no coordinates.
    mixture : ndarray of shape (n_samples,)
        Weights of the examples in these mixtures, summing to 1 in either class.
    told : str, default=""
        What takes the place of the witness in the message.

    Examples
    --------
    >>> import numpy as np
    >>> NotSeparableError(np.array([0.5]), np.array([1.0, 0.5, 0.5])).witness.tolist()
    [0.5]
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
    """No z satisfies A z ≥ a.

    By the lemma of Farkas (1902), multipliers u ≥ 0 with Aᵀu = 0 and aᵀu > 0 prove it.

    Parameters
    ----------
    multipliers : ndarray of shape (n_constraints,)
        Multipliers u, which sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> InfeasibleError(np.array([0.5, 0.5])).multipliers.tolist()
    [0.5, 0.5]
    """

    def __init__(self, multipliers: NDArray[np.float64]) -> None:
        self.multipliers = multipliers
        heaviest = sorted(sorted(range(len(multipliers)), key=lambda i: -float(multipliers[i]))[:6])
        shown = ", ".join(str(i) for i in heaviest if multipliers[i] > 1e-6)
        super().__init__(
            f"no z satisfies A z ≥ a: a mixture of the rows {shown} asks 0 to be above 0. "
            "A programme must have a point that satisfies all rows. Relax or drop one of these rows."
        )


class UnboundedError(DataError):
    """An objective falls for ever along a direction d: Qd = 0, Ad ≥ 0 and cᵀd < 0.

    Parameters
    ----------
    direction : ndarray of shape (n_variables,)
        The direction d.

    Examples
    --------
    >>> import numpy as np
    >>> UnboundedError(np.array([1.0, 0.0])).direction.tolist()
    [1.0, 0.0]
    """

    def __init__(self, direction: NDArray[np.float64]) -> None:
        self.direction = direction
        shown = ", ".join(f"{x:.4g}" for x in direction[:6]) + (", …" if len(direction) > 6 else "")
        super().__init__(
            f"the objective falls for ever along the direction ({shown}). A programme must have a minimum. "
            "Add a constraint, or curvature to Q, along it."
        )


class NoInputError(DecibanError):
    """An input does not exist or may not be read (EX_NOINPUT).

    Examples
    --------
    >>> NoInputError("a.eml: expected to read it").exit_code
    66
    """

    exit_code = 66

    def __str__(self) -> str:  # OSError would put its number before the sentence
        return str(self.args[0]) if self.args else ""


class NotFoundInputError(NoInputError, FileNotFoundError):
    """There is no input of that name.

    Examples
    --------
    >>> isinstance(NotFoundInputError("a.eml: there is none of that name"), FileNotFoundError)
    True
    """


class ForbiddenInputError(NoInputError, PermissionError):
    """An input exists and may not be read.

    Examples
    --------
    >>> isinstance(ForbiddenInputError("a.eml: permission was denied"), PermissionError)
    True
    """


class FolderInputError(NoInputError, IsADirectoryError):
    """An input is a folder where a file was expected.

    Examples
    --------
    >>> isinstance(FolderInputError("mail: this is a folder"), IsADirectoryError)
    True
    """


class StorageError(DecibanError):
    """Reading or writing broke off half-way (EX_IOERR).

    Examples
    --------
    >>> StorageError("the disk is full").exit_code
    74
    """

    exit_code = 74


class LoginError(DecibanError):
    """A server does not let the user in (EX_NOPERM).

    Examples
    --------
    >>> LoginError("the password is wrong").exit_code
    77
    """

    exit_code = 77


def escape(name: str) -> str:
    r"""Return a name with what controls a terminal, or is not seen or no UTF-8, escaped.

    Parameters
    ----------
    name : str
        Name of a file or an option.

    Returns
    -------
    str
        The printable name.

    Examples
    --------
    >>> escape("Junk" + chr(27) + "[2J" + chr(0xDCFF))
    'Junk\\x1b[2J\\xff'
    """
    return name if _is_shown(name) else "".join(map(_escape_character, name))


# What isprintable() passes and no terminal shows: fillers and selectors, but for those that choose how a sign is drawn.
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\U000e0100-\U000e01ef]")


def _is_shown(text: str) -> bool:
    return text.isprintable() and (text.isascii() or not _UNSEEN.search(text))


def _escape_character(character: str) -> str:
    if _is_shown(character):
        return character
    if "\udc80" <= character <= "\udcff":  # a byte that the file system's encoding could not decode
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def unreadable(path: str, error: OSError | ValueError) -> NoInputError:
    """Return the error that tells the user why a path cannot be read.

    Parameters
    ----------
    path : str
        Path that the user gave.
    error : OSError or ValueError
        What was raised on looking at or opening the path.

    Returns
    -------
    NoInputError
        The error to raise, with number and file name of the original.

    Examples
    --------
    >>> type(unreadable("a.eml", FileNotFoundError())).__name__
    'NotFoundInputError'
    """
    found = _unreadable(path, error)
    if isinstance(found, OSError) and isinstance(error, OSError):
        found.errno, found.strerror, found.filename = error.errno, error.strerror, path
    return found


def _unreadable(path: str, error: OSError | ValueError) -> NoInputError:
    name = escape(path)
    if isinstance(error, PermissionError):
        return ForbiddenInputError(f"{name}: expected to read it; permission was denied. Change its mode or its owner.")
    if isinstance(error, IsADirectoryError):
        return FolderInputError(f"{name}: expected a file; this is a folder. Name the file in it.")
    if isinstance(error, OSError) and not isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return NoInputError(f"{name}: expected to read it; the system said: {error.strerror}.")
    # ValueError is what Python makes of a NUL in a name.
    return NotFoundInputError(f"{name}: expected a file or a folder; there is none of that name.{_closest(path)}")


def _closest(path: str) -> str:
    from difflib import get_close_matches  # here, because this module is always loaded

    folder, name = os.path.split(path.rstrip("/"))
    try:
        near = get_close_matches(name, os.listdir(folder or "."), n=1)
    except (OSError, ValueError):
        return ""
    return f" Did you mean {escape(os.path.join(folder, near[0]))}?" if near else ""
