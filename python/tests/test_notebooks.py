"""The notebooks run in a small form; the one that trains is `torch/test_notebook.py`."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"


def run(name, monkeypatch):
    monkeypatch.setenv("ALEA_SMALL", "1")
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(NOTEBOOKS)}}).execute()
    return notebook


@pytest.mark.parametrize("name", ["first_steps.ipynb", "luck.ipynb", "misjudged.ipynb"])
def test_a_notebook_runs(name, monkeypatch):
    plots = [output for cell in run(name, monkeypatch).cells for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    assert len(plots) >= 2
