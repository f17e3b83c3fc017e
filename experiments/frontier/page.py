#!/usr/bin/python3
"""Renews docs/frontier.svg and the tables of docs/frontier.md, between its marks, from results.json, before.json and after.json."""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
sys.path.append(str(HERE.parent / "tables"))
import before_after  # noqa: E402
import figure  # noqa: E402
import tables  # noqa: E402

FAMILIES = ("bitbayes", "decision tree", "random forest", "int8 perceptron")
FLASH_BUDGETS = (1, 2, 4, 8, 32)  # KiB
INSTRUCTION_BUDGETS = (300, 3_000, 10_000, 30_000, 100_000)
SHOWN = {  # of the many, in the table of single classifiers
    "bitbayes, dense": ("dense 64", "dense 256"), "bitbayes, tree": ("tree 21",), "bitbayes, 3 members": ("dense 64",),
    "decision tree": ("depth any",), "random forest": ("8 x depth 12, votes",),
    "int8 perceptron": tuple(f"{hidden} hidden{form}" for hidden in (16, 64) for form in ("", ", folded", ", standardised")),
}


def points(results, name):
    return [point for part in ("bitbayes", "baselines") for point in results[name].get(part, [])]


def family_of(point):
    return point["family"].split(",")[0]


def abstains(point):
    return point["family"].endswith("abstaining")


def markdown(head, rows):
    align = ["---"] + ["---" if isinstance(cell, str) and not re.match(r"[\d*-]", cell) else "---:" for cell in rows[0][1:]]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in [head, align, *rows])


def cell(error, errors):
    if error is None:
        return "-"
    return f"**{100 * error:.2f}**" if error == min(errors) else f"{100 * error:.2f}"


def budgets(results, names, figure_name, limits, unit):
    """The lowest error of each family within a budget, and how often bitbayes has the lowest of all."""
    rows, won, shared = [], 0, 0
    for name in names:
        for limit in limits:
            bytes_or_instructions = limit * 1024 if figure_name == "flash" else limit
            fitting = [p for p in points(results, name) if p[figure_name] <= bytes_or_instructions and not abstains(p)]
            best = [min((p["error"] for p in fitting if family_of(p) == family), default=None) for family in FAMILIES]
            known = [error for error in best if error is not None]
            if known:
                won += best[0] == min(known) and known.count(min(known)) == 1
                shared += best[0] == min(known) and known.count(min(known)) > 1
            rows.append([name, f"{limit:,}{unit}", *(cell(error, known) for error in best)])
    text = markdown(["data", "at most", *(f"{family} %" for family in FAMILIES)], rows)
    return f"{text}\n\nbitbayes has the lowest error in {won} of these {len(rows)} rows, and shares it in {shared}."


def single(results, names):
    rows = []
    for name in names:
        for p in points(results, name):
            if p["name"] in SHOWN.get(p["family"], ()):
                rows.append([name, f"{p['family']}: {p['name']}", f"{100 * p['error']:.2f}", f"{p['flash']:,}", f"{p['ram']:,}",
                             f"{p['instructions']:,}", f"{p['instructions_max']:,}"])
    return markdown(["data", "classifier", "error %", "FLASH", "RAM", "instructions", "at most"], rows)


def abstaining(results, names):
    rows = [[name, p["name"], f"{100 * p['unknown']:.1f}", f"{100 * p['error']:.2f}", f"{p['flash']:,}", f"{p['instructions']:,}"]
            for name in names for p in points(results, name) if abstains(p)]
    return markdown(["data", "network", "don't know %", "error of the rest %", "FLASH", "instructions"], rows)


def insert(text, mark, content, between="\n\n"):
    new = f"<!-- {mark} -->{between}{content}{between}<!-- end -->"
    text, count = re.subn(rf"<!-- {mark} -->.*?<!-- end -->", lambda _: new, text, flags=re.S)
    if count != 1:
        sys.exit(f"docs/frontier.md has {count} marks {mark}")
    return text


def main():
    results = tables.saved(HERE / "results.json")
    names = [name for name in before_after.NAMES if name in results]
    page = DOCS / "frontier.md"
    text = page.read_text()
    text = insert(text, "flash", budgets(results, names, "flash", FLASH_BUDGETS, " KiB"))
    text = insert(text, "instructions", budgets(results, names, "instructions", INSTRUCTION_BUDGETS, ""))
    text = insert(text, "single", single(results, names))
    text = insert(text, "abstaining", abstaining(results, names))
    text = insert(text, "rows", ", ".join(f"{name} {results[name]['test_rows']:,}" for name in names), " ")
    before, after = (tables.saved(HERE / f"{side}.json") for side in ("before", "after"))
    text = insert(text, "before-after", before_after.table(before, after))
    text = insert(text, "programs", "\n".join(f"- {version}" for version in results["programs"].values()))
    page.write_text(text)
    drawn = {name: [p | {"rows": results[name]["test_rows"]} for p in points(results, name) if not abstains(p)] for name in names}
    (DOCS / "frontier.svg").write_text(figure.draw(drawn))


main()
