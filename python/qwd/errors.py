"""What can go wrong, by whose fault it is. Messages are those of the program: what failed, why, and what to do.

Every class is also the one of Python's own that fits best, so ``except ValueError`` catches bad data and
``except OSError`` an unreadable file. Ctrl-C is a plain ``KeyboardInterrupt``.
"""

from __future__ import annotations

__all__ = [
    "DamagedFileError",
    "DataError",
    "FileError",
    "InternalError",
    "MissingFileError",
    "NotFittedError",
    "ParameterError",
    "QwdError",
]


class QwdError(Exception):
    """Anything that goes wrong in qwd."""


class ParameterError(QwdError, ValueError):
    """A parameter is outside its range, or does not fit the others: correct the call."""


class DataError(QwdError, ValueError):
    """Data that cannot be used: correct them."""


class DamagedFileError(QwdError, ValueError):
    """A file of qwd's own is damaged, or of a version that this one does not read."""


class FileError(QwdError, OSError):
    """The operating system refused."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class NotFittedError(QwdError, ValueError, AttributeError):
    """Something that learns was asked before it was fitted."""


class InternalError(QwdError, RuntimeError):
    """A bug in qwd."""
