"""HMMs over unlabelled symbols: a record of options and sequences in, a model by moments or by EM out."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from eigenparse.errors import OptionError
from eigenparse.learn.hmm.em import EmChoices, fit_em_hmm
from eigenparse.learn.hmm.reading import SymbolText
from eigenparse.learn.hmm.spectral import ChainChoices, Symbols, fit_spectral_hmm, symbol_table
from eigenparse.learn.hmm.statistics import fit_statistics
from eigenparse.learn.options import Options, option
from eigenparse.models.hmm.chain import ChainModel, with_mean_length
from eigenparse.threads import one_thread
from eigenparse.work.work import Work

METHODS = ("spectral", "cluster", "em")
FORMS = ("hsu", "foster")


@dataclass(frozen=True)
class HmmOptions(Options):
    """Learn an HMM from unlabelled sequences of symbols."""

    kind: ClassVar[str] = "hmm"
    examples: ClassVar[tuple[str, ...]] = (
        "eigenparse train hmm text.txt --unit word --min-count 5 --dev dev.txt --out words.model",
    )
    method: str = option(
        "spectral",
        "Training method: moments, EM from clusters of moments, or EM from a random start.",
        choices=METHODS,
    )
    states: int = option(20, "Number of hidden states.", low=1)
    window: int = option(2, "Symbols of past and future used as context.", low=1, idle={"method": ("em",)})
    form: str = option(
        "hsu", "Operators of the method spectral: one per symbol (hsu), or through a small dictionary (foster).",
        choices=FORMS, idle={"method": ("cluster", "em")},
    )  # fmt: skip
    em_rounds: int | None = option(
        None, "Maximum rounds of EM. Default: 30 from clusters, 100 from a random start.", low=0,
        idle={"method": ("spectral",)},
    )  # fmt: skip
    min_count: int = option(1, "Symbols that occur less often count as unknown.", low=0)
    seed: int = option(0, "Random seed.", low=0)
    keep_statistics: bool = option(False, "Keep the sums in the file, so that `merge` is exact.")
    dictionary: Path | None = option(
        None, "Model whose symbols and projections are reused; implies --keep-statistics."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.adds_up and (self.method, self.form) != ("spectral", "hsu"):
            raise OptionError(
                f"models of the method {self.method} in the form {self.form} do not add up; "
                "use --method spectral --form hsu, or leave out --keep-statistics and --dictionary"
            )

    @property
    def adds_up(self) -> bool:
        """Whether sums are kept."""
        return self.keep_statistics or self.dictionary is not None

    def fit(self, data: SymbolText, work: Work = Work()) -> ChainModel:
        """Learn an HMM from sequences of symbols."""
        with one_thread():  # several threads would add up sums in varying order
            if self.adds_up:
                return fit_statistics(data, self.chain(), self.min_count, self.dictionary, work)
            model = self.fit_symbols(symbol_table(data.sequences, self.min_count), data.unit, work)
        return with_mean_length(model, data.sequences.n_tokens, len(data.sequences))

    def fit_symbols(self, data: Symbols, unit: str, work: Work = Work()) -> ChainModel:
        """The same from symbols that are numbered already."""
        if self.method == "spectral":
            work.stage("moments")
            return fit_spectral_hmm(data, unit, self.chain())
        work.stage("EM")
        start = "clusters" if self.method == "cluster" else "random"
        usual = 30 if start == "clusters" else 100
        rounds = usual if self.em_rounds is None else self.em_rounds
        em = EmChoices(states=self.states, rounds=rounds, window=self.window, seed=self.seed)
        return fit_em_hmm(data, unit, start, em, work)

    def chain(self) -> ChainChoices:
        """The choices of the method spectral."""
        return ChainChoices(states=self.states, window=self.window, form=self.form, seed=self.seed)
