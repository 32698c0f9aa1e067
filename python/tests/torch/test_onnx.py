"""Networks that PyTorch wrote as ONNX and ONNX Runtime computes, by way of callables."""

import inspect
import io

import numpy
import onnxruntime
import pytest
import torch

import alea

BOARDS, ROWS = None, "mobility,turns,alive"


class OfBoards(torch.nn.Module):
    """Layers over the symbols that boards show."""

    def __init__(self):
        super().__init__()
        cells = alea.VecEnv("einstein", 1).observations.shape[1]
        self.layers = torch.nn.Sequential(torch.nn.Linear(cells, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1), torch.nn.Sigmoid())

    def forward(self, cells):
        return self.layers(cells.float() / 8)


class OfRows(torch.nn.Module):
    """A vector for each row that is on."""

    def __init__(self):
        super().__init__()
        self.alea_inputs = ROWS
        self.vectors = torch.nn.Embedding(max(end for _, end in alea.game("einstein").runs(ROWS)), 8)
        self.layer = torch.nn.Linear(8, 1)

    def forward(self, rows):
        return torch.sigmoid(self.layer(self.vectors(rows).sum(dim=1).relu()))


def session(network, rows):
    """The network in ONNX Runtime; batches of any length."""
    written = io.BytesIO()
    # The exporter that needs nothing else, where there is another.
    plain = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    names = {"input_names": ["rows"], "output_names": ["value"], "dynamic_axes": {"rows": {0: "n"}, "value": {0: "n"}}}
    torch.onnx.export(network, (torch.from_numpy(rows),), written, opset_version=13, **names, **plain)
    return onnxruntime.InferenceSession(written.getvalue(), providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("kind, inputs, numbers", [(OfBoards, BOARDS, "u1"), (OfRows, ROWS, "i8")])
def test_a_network_plays_from_its_onnx_as_from_pytorch(kind, inputs, numbers):
    torch.manual_seed(1)
    network, game = kind(), alea.game("einstein")
    rows = game.rows(alea.endgames(2000), inputs).astype(numbers)
    asked = alea.CallableEvaluator(session(network, rows[:2]), "onnx", inputs)
    expected = alea.CallableEvaluator(network)(rows.astype("u2"))
    assert numpy.ptp(expected) > 0.05
    assert asked(rows.astype("u2")) == pytest.approx(expected, abs=1e-5)
    match, other = (alea.arena(who, "greedy", games=200, seed=3) for who in (asked, network))
    assert match["a"] == "onnx" and match["games"] == 200
    # The last digit of a value may decide between two moves.
    assert match["score"] == pytest.approx(other["score"], abs=0.03)
