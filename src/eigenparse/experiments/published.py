"""Published figures, shown beside ours."""

THESIS_SIZES: dict[int, tuple[float, float, float]] = {
    5_000: (69.29, 66.36, 0.50),
    10_000: (77.36, 67.73, 1.55),
    15_000: (77.41, 68.43, 2.26),
    20_000: (81.24, 69.69, 3.28),
    25_000: (79.71, 68.46, 3.75),
    30_000: (81.57, 69.23, 5.54),
}
"""[matejovicova-2018, figure 13]: trees → unlabelled F1 with 8 states, without states, hours."""

THESIS_STATES: dict[int, tuple[float, float, float]] = {
    1: (68.38, 60.88, 1.51),
    2: (71.19, 64.03, 1.21),
    4: (76.36, 69.94, 1.40),
    8: (78.52, 72.30, 1.81),
    16: (75.82, 69.07, 1.43),
    24: (65.47, 55.61, 1.78),
    32: (65.17, 55.82, 1.94),
}
"""[matejovicova-2018, figure 17]: states → unlabelled F1, labelled F1, hours, from 10,000 trees."""

THESIS_COMPARISON: dict[int, tuple[float, float]] = {
    8: (85.60, 78.46),
    16: (87.77, 77.87),
    24: (88.53, 76.15),
    32: (88.82, 72.73),
}
"""[matejovicova-2018, figure 21]: states → F1 of [cohen-etal-2013] and of the thesis, section 22."""

COHEN_HOURS = {"spectral": 9 + 52 / 60, "EM": 187 + 12 / 60}
"""[cohen-etal-2014, introduction]: hours of training of the companion paper's grammars."""
COHEN_PASSES = "20 to 30"
"""[cohen-etal-2014, introduction]: passes over the data that EM needs."""
