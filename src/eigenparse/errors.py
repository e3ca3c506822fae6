"""Every error the package raises on purpose.

EigenparseError
├── FormatError      a corpus file breaks its format (file, line, remedy)
├── ModelFileError   a model file is missing, damaged, foreign or too new
├── DataError        well-formed input that a learner or scorer cannot use
├── OptionError      a setting outside its range
└── ResourceError    more memory or time asked for than allowed
"""

UNPRINTABLE = "\ufffd"


def printable(text: str) -> str:
    """The same text with control characters, which terminals and XML readers do not accept, replaced."""
    return "".join(character if character.isprintable() else UNPRINTABLE for character in text)


class EigenparseError(Exception):
    """Base of every error this package raises on purpose."""


class FormatError(EigenparseError, ValueError):
    """A corpus file breaks its format."""

    def __init__(self, problem: str, *, source: str, line: int, remedy: str) -> None:
        super().__init__(f"{source}:{line}: {problem}; {remedy}")
        self.problem, self.source, self.line, self.remedy = problem, source, line, remedy

    def __reduce__(self) -> tuple[object, ...]:
        return _format_error, (self.problem, self.source, self.line, self.remedy)


def _format_error(problem: str, source: str, line: int, remedy: str) -> FormatError:
    return FormatError(problem, source=source, line=line, remedy=remedy)


def missing_extra(extra: str) -> ImportError:
    """The error of an import whose optional packages are missing."""
    return ImportError(f"the extra `{extra}` is not installed; run pip install 'eigenparse[{extra}]'")


class ModelFileError(EigenparseError, ValueError):
    """A model file is missing, damaged, foreign or of a newer format."""


class DataError(EigenparseError, ValueError):
    """Well-formed input that cannot be used as asked."""


class OptionError(EigenparseError, ValueError):
    """A setting outside its range."""


class ResourceError(EigenparseError, MemoryError):
    """More memory or time would be needed than is allowed."""
