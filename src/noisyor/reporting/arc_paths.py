"""The lines and arrowheads of arcs, as SVG paths."""

from noisyor.reporting.routes import BOW_DEPTH, Grid, Point, Route

_HEAD_LENGTH, _HEAD_HALF = 9.0, 4.5
_BEND = 0.5  # of the way between two layers, where an arc is steepest


def line_path(route: Route, grid: Grid) -> str:
    """Return the line of an arc: straight across layers at its ends and where it passes one."""
    (x, y), forward = grid.turned(route.start), 1 if route.starts_forward else -1
    path = f"M{_points(grid, (x, y))}"
    tip_x, tip_y = grid.turned(route.tip)
    end = -_HEAD_LENGTH if route.ends_forward else _HEAD_LENGTH
    if route.starts_forward != route.ends_forward:  # within a layer: a bow out of it
        far = y + BOW_DEPTH  # of the control points: the curve itself stays nearer
        return f"{path}C{_points(grid, (x, far), (tip_x, far), (tip_x, tip_y + end - 1))}"
    for passed in route.passes:
        pass_x, pass_y = grid.turned(passed)
        path += _curve(grid, (x, y), (pass_x, pass_y - forward * grid.depth / 2))
        x, y = pass_x, pass_y + forward * grid.depth / 2
        path += f"{'H' if grid.is_turned else 'V'}{number_words(y)}"
    return path + _curve(grid, (x, y), (tip_x, tip_y + end - (1 if end > 0 else -1)))


def head_path(route: Route, grid: Grid) -> str:
    """Return the triangle at the tip of an arc."""
    back = -_HEAD_LENGTH if route.ends_forward else _HEAD_LENGTH
    x, y = route.tip
    base = f"{'v' if grid.is_turned else 'h'}{number_words(2 * _HEAD_HALF)}"
    return f"M{number_words(x)} {number_words(y)}l{_points(grid, (-_HEAD_HALF, back))}{base}z"


def _curve(grid: Grid, start: Point, end: Point) -> str:
    middle = start[1] + _BEND * (end[1] - start[1])
    return f"C{_points(grid, (start[0], middle), (end[0], middle), end)}"


def _points(grid: Grid, *places: Point) -> str:
    turned = (grid.turned(place) for place in places)
    return " ".join(f"{number_words(x)} {number_words(y)}" for x, y in turned)


def number_words(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")
