"""LatentPCFG keeps the contract of scikit-learn."""

import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold

from eigenparse.api.learner import LatentPCFG
from eigenparse.corpus.brackets import format_trees
from eigenparse.errors import OptionError
from eigenparse.synthetic import sample_treebank


@pytest.fixture(scope="module")
def trees() -> list[str]:
    return format_trees(sample_treebank(60, 0)).decode().splitlines()


def test_settings_are_the_fields_of_the_record() -> None:
    learner = LatentPCFG(states=3, seed=2)
    copy = clone(learner).set_params(states=4)
    assert (copy.states, copy.seed, learner.states) == (4, 2, 3)
    assert set(learner.get_params()) == {*LatentPCFG.fields, "jobs", "keep_tag_suffix"}
    assert "tune_states" not in learner.get_params()
    with pytest.raises(TypeError):
        LatentPCFG(stats=3)
    with pytest.raises(OptionError, match="states must be"):
        LatentPCFG(states=0).options()


def test_grid_search(trees: list[str]) -> None:
    grid = GridSearchCV(LatentPCFG(em_rounds=0), {"states": [1, 2]}, cv=KFold(2)).fit(trees)
    assert set(grid.cv_results_["mean_test_score"] > 0.5) == {True}
    best = grid.best_estimator_
    again = LatentPCFG(em_rounds=0, **grid.best_params_)
    again.fit(trees)
    assert best.score(trees) == again.score(trees)
    assert best.predict(["who sleeps ?"])[0].tree.startswith("(TOP ")
