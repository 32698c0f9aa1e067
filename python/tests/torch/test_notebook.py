"""The notebook that trains runs on the committed sample."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from test_notebooks import run


def test_the_notebook_that_trains(monkeypatch):
    notebook = run("pytorch.ipynb", monkeypatch)
    said = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))
    assert "largest difference" in said and "regret a decision" in said
