"""docs/frontier.svg: for each table, error over FLASH (left) and over instructions (right), both axes logarithmic."""
import math
from html import escape

WIDTH, PANEL, HEIGHT, GAP, LEFT, TOP = 860, 342, 190, 62, 62, 112
RIGHT = LEFT + PANEL + 76
STYLE = """.bb-figure{--bb-ground:#ffffff;--bb-ink:#1d2329;--bb-soft:#59636e;--bb-grid:#e4e8ec;--bb-0:#0052a3;--bb-1:#c23010;--bb-2:#2a8a62;--bb-3:#b478b4;font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
@media screen and (prefers-color-scheme:dark){.bb-figure{--bb-ground:#15181c;--bb-ink:#e6e9ec;--bb-soft:#a0a9b2;--bb-grid:#2b3138;--bb-0:#4a8fe6;--bb-1:#f2702a;--bb-2:#2ed08f;--bb-3:#e496c0}}
.bb-ground{fill:var(--bb-ground)}
.bb-figure text{fill:var(--bb-ink);stroke:none}
.bb-grid{stroke:var(--bb-grid)}
.bb-axis{stroke:var(--bb-soft)}
""" + "".join(f".bb-c{c}{{fill:var(--bb-{c});stroke:var(--bb-{c})}}\n" for c in range(4))
COLOURS = ("#0052a3", "#c23010", "#2a8a62", "#b478b4")
SERIES = (  # name of the legend, colour, shape, what families begin with
    ("bitbayes, dense", 0, "circle", ("bitbayes, dense",)),
    ("bitbayes, tree", 0, "square", ("bitbayes, tree",)),
    ("bitbayes, committee", 0, "triangle", ("bitbayes, 1 +", "bitbayes, 3 m")),
    ("decision tree", 1, "circle", ("decision tree",)),
    ("random forest", 2, "circle", ("random forest",)),
    ("int8 perceptron", 3, "circle", ("int8 perceptron",)),
)
ERRORS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)


def shape(kind, x, y, title=""):
    title = f"<title>{escape(title)}</title>" if title else ""
    x, y = round(x, 2), round(y, 2)
    if kind == "square":
        return f'<rect x="{x - 3:g}" y="{y - 3:g}" width="6" height="6" stroke="none">{title}</rect>'
    if kind == "triangle":
        return f'<path d="M{x:g} {y - 4:g}l4 7h-8z" stroke="none">{title}</path>'
    return f'<circle cx="{x:g}" cy="{y:g}" r="3.4" stroke="none">{title}</circle>'


def coloured(colour, content):
    return f'<g class="bb-c{colour}" fill="{COLOURS[colour]}" stroke="{COLOURS[colour]}">\n{content}\n</g>'


class Panel:
    """Places numbers; the lowest and the highest of each axis are ticks."""

    def __init__(self, left, top, costs, errors):
        self.left, self.top = left, top
        self.x_ticks = [10**k for k in range(math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs))) + 1)]
        low = max(e for e in ERRORS if e <= max(min(errors), ERRORS[0]))
        high = min(e for e in ERRORS if e >= max(errors))
        self.y_ticks = [e for e in ERRORS if low <= e <= high]

    @staticmethod
    def share(value, ticks):
        value = min(max(value, ticks[0]), ticks[-1])
        return math.log(value / ticks[0]) / math.log(ticks[-1] / ticks[0])

    def x(self, cost):
        return self.left + PANEL * self.share(cost, self.x_ticks)

    def y(self, error):
        return self.top + HEIGHT * (1 - self.share(error, self.y_ticks))

    def frame(self, title, label):
        bottom, right = self.top + HEIGHT, self.left + PANEL
        grid = [f"M{self.x(t):.2f} {self.top}V{bottom}" for t in self.x_ticks]
        grid += [f"M{self.left} {self.y(t):.2f}H{right}" for t in self.y_ticks]
        texts = [f'<text x="{self.x(t):.2f}" y="{bottom + 16}" text-anchor="middle">{t:,}</text>' for t in self.x_ticks]
        texts += [f'<text x="{self.left - 7}" y="{self.y(t) + 4:.2f}" text-anchor="end">{100 * t:g} %</text>'
                  for t in self.y_ticks]
        return (f'<path class="bb-grid" stroke="#e4e8ec" fill="none" d="{"".join(grid)}"/>\n'
                f'<path class="bb-axis" stroke="#59636e" fill="none" d="M{self.left} {self.top}V{bottom}H{right}"/>\n'
                f'<g font-size="11">\n{chr(10).join(texts)}\n</g>\n'
                f'<text x="{self.left}" y="{self.top - 8}" font-size="12.5" font-weight="600">{escape(title)}</text>\n'
                f'<text x="{right}" y="{self.top - 8}" font-size="11" text-anchor="end">{escape(label)}</text>')


def front(pairs):
    """Those than which no other is better in both."""
    best, kept = math.inf, []
    for cost, error in sorted(pairs):
        if error < best:
            best = error
            kept.append((cost, error))
    return kept


def staircase(panel, pairs):
    path = f"M{panel.x(pairs[0][0]):.2f} {panel.y(pairs[0][1]):.2f}"
    for cost, error in pairs[1:]:
        path += f"H{panel.x(cost):.2f}V{panel.y(error):.2f}"
    return f'<path d="{path}" fill="none" stroke-width="1.5"/>'


def tooltip(p):
    return f"{p['family']}: {p['name']}\n{100 * p['error']:.2f} %, {p['flash']:,} bytes, {p['instructions']:,} instructions"


def draw_panel(panel, points, figure):
    parts = []
    for colour in range(len(COLOURS)):
        families = tuple(start for _, c, _, starts in SERIES for start in starts if c == colour)
        pairs = front((p[figure], p["drawn"]) for p in points if p["family"].startswith(families))
        if pairs:
            parts.append(coloured(colour, staircase(panel, pairs)))
    for _, colour, kind, starts in SERIES:
        dots = [shape(kind, panel.x(p[figure]), panel.y(p["drawn"]), tooltip(p))
                for p in points if p["family"].startswith(starts)]
        if dots:
            parts.append(coloured(colour, "\n".join(dots)))
    return "\n".join(parts)


def legend():
    """A line for bitbayes, one for the others."""
    parts, x = [], [20, 20]
    for name, colour, kind, _ in SERIES:
        line = min(colour, 1)
        y = 52 + 20 * line
        parts.append(coloured(colour, shape(kind, x[line], y - 4)))
        parts.append(f'<text x="{x[line] + 10:g}" y="{y}" font-size="12">{escape(name)}</text>')
        x[line] += 36 + 6.4 * len(name)
    return "\n".join(parts)


def draw(tables):
    """tables: of each name its points; an error of 0 is drawn as half a row."""
    height = TOP + len(tables) * (HEIGHT + GAP) - 20
    parts = []
    for k, (name, points) in enumerate(tables.items()):
        points = [p | {"drawn": max(p["error"], 0.5 / p["rows"])} for p in points]
        errors = [p["drawn"] for p in points]
        for left, figure, label in ((LEFT, "flash", "bytes of FLASH"), (RIGHT, "instructions", "instructions per answer")):
            panel = Panel(left, TOP + k * (HEIGHT + GAP), [p[figure] for p in points], errors)
            parts += [panel.frame(name, label), draw_panel(panel, points, figure)]
    title = "Error over FLASH and over instructions on a Cortex-M3"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="bb-figure" role="img" aria-label="{title}" '
            f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" style="max-width:100%;height:auto" '
            f'font-family="sans-serif">\n<style>\n{STYLE}</style>\n'
            f'<rect class="bb-ground" width="{WIDTH}" height="{height}" rx="4" fill="#ffffff"/>\n'
            f'<text x="14" y="29" font-size="15" font-weight="600">{title}</text>\n{legend()}\n' + "\n".join(parts) + "\n</svg>\n")
