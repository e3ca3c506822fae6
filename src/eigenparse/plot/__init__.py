"""Plots: curves of learning, calibration of posteriors, and the curves of reports."""

from eigenparse.plot.calibration import Calibration as Calibration
from eigenparse.plot.calibration import calibrate as calibrate
from eigenparse.plot.calibration import calibration_curves as calibration_curves
from eigenparse.plot.figures import render as render
from eigenparse.plot.learning import learning_curves as learning_curves
from eigenparse.plot.learning import singular_curves as singular_curves
