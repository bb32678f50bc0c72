"""A page of docs/decisions has a date, says what became of the decision since, and has four parts.

    # Title

    Decided: DATE.

    - Added on DATE: what.
    - Changed on DATE. Before, how it was.
    - Overtaken in part on DATE by [another decision](page.md). Before, how it was.

    ## Context

The page that has overtaken another one links to it. The text below the head describes what holds today.
"""

import glob
import os
import re

PARTS = ["Context", "Options", "Choice", "Consequences"]
DATE = r"(\d{4}-\d\d-\d\d)"
HEAD = re.compile(rf"# .*\n\nDecided: {DATE}\.\n\n((?:- .*\n(?:  .*\n)*)*)\n?## Context\n")
SINCE = (  # the forms of a line of the head; each has a date, and a page or nothing
    rf"- Added on {DATE}(): .*",
    rf"- Changed on {DATE}()\. Before, .*",
    rf"- Overtaken(?: in part)? on {DATE} by \[[^]]+\]\(([a-z-]+\.md)\)\. Before, .*",
)
DATED = re.compile(r"\b(?:[Aa]dded|[Cc]hanged|[Dd]ecided anew)(?: on)? 20\d\d-")


def check(expect, root):
    """Checks each page; `expect` takes a name, a condition and a detail."""
    pages = {}
    for path in glob.glob(f"{root}/docs/decisions/*.md"):
        with open(path) as file:
            pages[os.path.basename(path)] = file.read()
    index = pages.pop("README.md")
    overtaken = 0
    for page, text in sorted(pages.items()):
        headings = re.findall(r"^## (.*)$", text, re.M)
        expect(f"{page}: its four parts", headings == PARTS, headings)
        expect(f"{page} is in the index", f"({page})" in index, "docs/decisions/README.md lists all pages")
        head = HEAD.match(text)
        expect(f"{page}: its head", head, text[: text.find("## Context")])
        if not head:
            continue
        for entry in re.findall(r"^- .*\n(?:  .*\n)*", head[2], re.M):
            line = " ".join(entry.split())
            since = next(filter(None, (re.fullmatch(form, line) for form in SINCE)), None)
            expect(f"{page}: the form of `{line}`", since, SINCE)
            expect(f"{page}: `{line}` is later than the decision", since and since[1] >= head[1], head[1])
            if since and since[2]:
                overtaken += 1
                expect(f"{page}: {since[2]}, which has overtaken it", f"({page})" in pages.get(since[2], ""), "a link")
        dated = DATED.search(text, head.end())
        expect(f"{page}: what became of it stands in its head", not dated, dated and dated[0])
    expect("there are decisions that were overtaken", overtaken, len(pages))
