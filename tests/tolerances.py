"""How close is close enough, and why."""

ROUNDING = 1e-10  # the same sum in another order
CANCELLED = 1e-8  # the same sum, some digits lost where signed terms cancel or a basis was turned
POPULATION = 1e-8  # learnt from exact moments; the inverse of small singular values costs digits
SINGLE = 1e-5  # arrays kept in single precision
WRONG = 1e-2  # what a wrong formula must be off by at least, in negative controls
SLOPE = (-0.7, -0.3)  # log error over log sample size: -1/2, with room for a handful of samples
