"""Counters since the start of the service, in the text format of Prometheus."""

from bisect import bisect_left
from collections import Counter

BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
WORK = ("/parse", "/tag", "/score", "/split", "/compare")
PATHS = (*WORK, "/info", "/states", "/health", "/ready", "/metrics", "/", "/docs")


class Metrics:
    """Counters of the service.

    requests: by method, path and status.  jobs: sentences and trees that were worked on.
    given_up: requests by why they were left.  ended: workers by why they were ended.
    """

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.jobs = 0
        self.given_up: Counter[str] = Counter({"hung_up": 0, "too_slow": 0})
        self.ended: Counter[str] = Counter({"no_longer_wanted": 0, "died": 0})
        self._seconds = [0] * (len(BOUNDS) + 1)
        self._total = 0.0

    def note(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request; all methods and paths that do not exist are counted as one."""
        known = (method if method in METHODS else "other", path if path in PATHS else "other")
        self.requests[*known, status] += 1
        if method == "POST":
            self._seconds[bisect_left(BOUNDS, seconds)] += 1
            self._total += seconds

    def text(self, gauges: dict[str, tuple[str, float]]) -> str:
        """All counters in the text format of Prometheus.  gauges: by name, what they mean and their value."""
        lines: list[str] = []
        for name, (meaning, value) in gauges.items():
            lines += [*_family(name, "gauge", meaning), f"eigenparse_{name} {value:g}"]
        lines += _family("requests_total", "counter", "Requests by method, path and status.")
        for (method, path, status), n in sorted(self.requests.items()):
            lines.append(
                f'eigenparse_requests_total{{method="{method}",path="{path}",status="{status}"}} {n}'
            )
        lines += _family("jobs_total", "counter", "Sentences and trees that were worked on.")
        lines.append(f"eigenparse_jobs_total {self.jobs}")
        for name, meaning, counts in (
            ("given_up_total", "Requests whose work was stopped, by reason.", self.given_up),
            ("workers_ended_total", "Worker processes that ended before their time, by reason.", self.ended),
        ):
            lines += _family(name, "counter", meaning)
            lines += [f'eigenparse_{name}{{reason="{why}"}} {n}' for why, n in sorted(counts.items())]
        return "\n".join([*lines, *self._histogram(), ""])

    def _histogram(self) -> list[str]:
        """How long POST requests took."""
        lines, total = _family("request_seconds", "histogram", "Seconds that POST requests took."), 0
        for bound, n in zip((*BOUNDS, "+Inf"), self._seconds):
            total += n
            lines.append(f'eigenparse_request_seconds_bucket{{le="{bound}"}} {total}')
        return [
            *lines,
            f"eigenparse_request_seconds_sum {self._total:.6f}",
            f"eigenparse_request_seconds_count {total}",
        ]


def _family(name: str, kind: str, meaning: str) -> list[str]:
    """The two lines above the values of a metric."""
    return [f"# HELP eigenparse_{name} {meaning}", f"# TYPE eigenparse_{name} {kind}"]
