"""Tails and quantiles of Student's t and of χ², where the standard library has only the normal."""

from __future__ import annotations

import math

TINY = 1e-300


def student_t_sf(t: float, df: float) -> float:
    """P(T > t) for Student's t.

    >>> round(student_t_sf(2.228139, 10), 6)
    0.025
    """
    if t * t < df:  # the share of t² keeps its digits where that of df is nearly 1
        tail = 0.5 - 0.5 * _regularised_beta(t * t / (df + t * t), 0.5, df / 2)
    else:
        tail = 0.5 * _regularised_beta(df / (df + t * t), df / 2, 0.5)
    return tail if t >= 0 else 1 - tail


def student_t_quantile(p: float, df: float) -> float:
    """The t with P(T < t) = p, by bisection.

    >>> round(student_t_quantile(0.975, 10), 6)
    2.228139
    """
    if not 0 < p < 1:
        raise ValueError("p lies between 0 and 1")
    if p < 0.5:
        return -student_t_quantile(1 - p, df)
    low, high = 0.0, 1.0
    while student_t_sf(high, df) > 1 - p:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if student_t_sf(middle, df) > 1 - p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def chi2_sf(x: float, df: float) -> float:
    """P(X > x) for χ².

    >>> round(chi2_sf(3.841459, 1), 6)
    0.05
    """
    if x < TINY:
        return 1.0
    a, x = df / 2, x / 2
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:  # the lower tail's series converges fast here, the upper tail's fraction there
        term = total = 1 / a
        n = a
        while term > 1e-17 * total:
            n += 1
            term *= x / n
            total += term
        return max(0.0, 1 - scale * total)
    b = x + 1 - a
    c, d = 1 / TINY, 1 / b
    fraction = d
    for n in range(1, 10_000):
        step = n * (a - n)
        b += 2
        d = 1 / _away_from_zero(step * d + b)
        c = _away_from_zero(b + step / c)
        fraction *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return scale * fraction


def _regularised_beta(x: float, a: float, b: float) -> float:
    """I_x(a, b), by Lentz's method on its continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _regularised_beta(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 10_000):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + step * d)
            c = _away_from_zero(1 + step / c)
            fraction *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * fraction / a


def _away_from_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
