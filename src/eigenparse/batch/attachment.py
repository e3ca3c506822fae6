"""Facts about the training of dependency models, and their scores on development trees."""

import time

from eigenparse.decode.dependency.latent_trees import parse_trees
from eigenparse.evaluate.attachment import attachment
from eigenparse.inference.dependency.arcs import parse
from eigenparse.learn.dependency.reading import TreeData
from eigenparse.models.dependency.arcs import ArcModel
from eigenparse.models.dependency.deptree import TreeModel
from eigenparse.models.dependency.rerank import Reranker

SHOWN = ("UAS", "LAS", "UAS without punctuation", "complete")


def evaluate_arcs(model: ArcModel, data: TreeData) -> list[str]:
    """A line of attachment figures of a graph-based parser."""
    figures = attachment(data.trees, parse(model, data.trees)).figures()
    return ["  ".join(f"{name} {value:.2f}" for name, value in figures.items())]


def evaluate_trees(model: TreeModel, data: TreeData) -> list[str]:
    """The same of a latent tree model alone, with its speed."""
    start = time.process_time()
    figures = attachment(data.trees, parse_trees(model, data.trees)).figures()
    speed = len(data.trees) / (time.process_time() - start)
    return ["  ".join(f"{name} {figures[name]:.2f}" for name in SHOWN) + f"  {speed:.0f} sentences/s"]


def arcs_learnt(model: ArcModel) -> list[str]:
    """Facts about the training of a graph-based parser."""
    about = model.about
    lines = [
        f"learnt from {about['sentences']} sentences, {about['words']} words, "
        f"{about['lifted']} lifted to projective trees"
    ]
    for name, share in about["tag_accuracy"].items():
        lines.append(f"{100 * share:.2f} percent of the jack-knifed {name} are right")
    return lines


def trees_learnt(model: TreeModel) -> list[str]:
    """Facts about the training of a latent tree model."""
    about = model.about
    lines = [f"learnt {model.n_states} states from {about['trees']} trees"]
    if about.get("lifted"):
        lines.append(f"lifted {about['lifted']} trees with crossing arcs to projective ones")
    if not model.is_proper:
        families = f"{about['families']} families; " if "families" in about else ""
        lines.append(f"{families}the totals of {about['not_positive']} training trees are not positive")
    return lines


def reranker_learnt(model: Reranker) -> list[str]:
    """Facts about the training of a re-ranker."""
    return [f"learnt from {model.about['lists']} lists; weights {model.dense_weights.round(3).tolist()}"]
