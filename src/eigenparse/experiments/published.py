"""Published figures, shown beside ours."""

Rows = dict[int, tuple[float, ...]]


def _rows(text: str) -> Rows:
    """Lines of numbers, of which the first names the row."""
    lines = [line.split() for line in text.strip().splitlines()]
    return {int(first): tuple(map(float, rest)) for first, *rest in lines}


def _runs(figures: tuple[int, ...], text: str) -> dict[int, Rows]:
    """Lines with three runs and their mean for each of several figures."""
    found = _rows(text)
    return {
        figure: {x: values[4 * k : 4 * k + 4] for x, values in found.items()}
        for k, figure in enumerate(figures)
    }


THESIS_SIZES = _rows("""
5000  69.29 66.36 0.50
10000 77.36 67.73 1.55
15000 77.41 68.43 2.26
20000 81.24 69.69 3.28
25000 79.71 68.46 3.75
30000 81.57 69.23 5.54
""")
"""[matejovicova-2018, figure 13]: trees → unlabelled F1 with 8 states, without states, hours."""

THESIS_STATES = _rows("""
1  68.38 60.88 1.51
2  71.19 64.03 1.21
4  76.36 69.94 1.40
8  78.52 72.30 1.81
16 75.82 69.07 1.43
24 65.47 55.61 1.78
32 65.17 55.82 1.94
""")
"""[matejovicova-2018, figure 17]: states → unlabelled F1, labelled F1, hours, from 10,000 trees."""

THESIS_COMPARISON: Rows = {8: (85.60, 78.46), 16: (87.77, 77.87), 24: (88.53, 76.15), 32: (88.82, 72.73)}
"""[matejovicova-2018, figure 21]: states → F1 of [cohen-etal-2013] and of the thesis, section 22."""

THESIS_RUNS = _runs((23, 24, 25), """
5000  68.37 68.37 70.22 69.29  65.7  66.96 66.96 66.96  0.45 0.47 0.58 0.5
10000 76.12 77.9  77.9  77.36  67.26 67.26 67.26 67.26  1.56 1.54 1.54 1.55
15000 77.36 77.28 77.28 77.41  67.26 68.14 69.16 69.16  2.44 2.44 1.88 2.26
20000 81.68 81.68 81.68 81.24  69.16 69.39 69.39 69.69  2.63 3.12 4.11 3.28
25000 78.91 78.91 78.91 78.91  67.68 68.82 68.82 68.82  4.23 3.38 3.62 3.75
30000 78.91 78.91 78.91 78.91  68.82 70.2  70.2  70.2   5.88 4.57 6.18 5.54
""") | _runs((26, 27, 28), """
1  68.78 67.72 68.63 68.38  61.27 60.05 61.31 60.88  1.5  1.5  1.52 1.51
2  71.8  71.1  70.67 71.19  64.78 63.98 63.33 64.03  1.26 1.19 1.19 1.21
4  76.53 76.99 75.55 76.36  70.17 70.57 69.08 69.94  1.28 1.34 1.57 1.4
8  78.22 78.21 79.13 78.52  72.07 71.79 73.04 72.3   1.76 2.04 1.61 1.81
24 74.71 76.33 76.41 75.82  67.62 69.48 70.1  69.07  1.13 0.88 2.28 1.43
16 63.53 67.46 65.42 65.47  53.54 57.02 56.27 55.61  2.24 1.77 1.33 1.78
32 65.28 64.28 65.94 65.17  56.22 54.61 56.64 55.82  3.27 1.29 1.26 1.94
""")  # fmt: skip
"""[matejovicova-2018, figures 23 to 28] as printed: three runs and their mean, in percent or hours."""

COHEN_HOURS = {"spectral": 9 + 52 / 60, "EM": 187 + 12 / 60}
"""[cohen-etal-2014, introduction]: hours of training of the companion paper's grammars."""
COHEN_PASSES = "20 to 30"
"""[cohen-etal-2014, introduction]: passes over the data that EM needs."""
