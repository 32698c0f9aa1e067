"""With PyTorch: networks as the engine has them, and records as a dataset."""

import time
from pathlib import Path

import numpy
import pytest
import torch

import alea
import alea.torch

torch.set_num_threads(1)
SAMPLE = Path(__file__).parents[3] / "data" / "sample"


def trained(steps, hidden=(64, 32), inputs=None):
    torch.manual_seed(1)
    network = alea.torch.Network(hidden=hidden, inputs=inputs)
    optimiser = torch.optim.Adam(network.parameters(), 0.004)
    dataset, done = alea.torch.Dataset(SAMPLE, batch=512, inputs=network.alea_inputs), 0
    losses = []
    while done < steps:
        dataset.set_epoch(done + 1)
        for batch in torch.utils.data.DataLoader(dataset, batch_size=None):
            loss = alea.torch.loss(network, batch)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            network.limit()
            losses.append(loss.item())
            done += 1
    return network, losses


def test_a_network_learns_and_the_engine_has_its_values(tmp_path):
    network, losses = trained(120)
    assert numpy.mean(losses[-10:]) < numpy.mean(losses[:10]) - 0.02
    path = tmp_path / "mine.safetensors"
    assert alea.save_model(network, path) < 1e-5
    asked = alea.arena(network, "random", games=200, seed=2)
    saved = alea.arena(path, "random", games=200, seed=2)
    assert asked["wins"] == saved["wins"] and asked.interval[0] > 0.5


@pytest.mark.parametrize("hidden", [(32,), (32, 16, 16)])
def test_one_and_three_layers(tmp_path, hidden):
    network, _ = trained(20, hidden, "alive")
    assert alea.save_model(network, tmp_path / "mine.safetensors") < 1e-5


def test_weights_are_held_where_a_file_has_a_place(tmp_path):
    network = alea.torch.Network()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(1000)
    network.limit()
    alea.save_model(network, tmp_path / "mine.safetensors")


def test_the_gradient_of_sums_of_rows_is_that_of_pytorch():
    game, weights = alea.game("einstein"), torch.randn(2348, 16, requires_grad=True)
    rows = torch.from_numpy(game.rows(alea.endgames(300), "mobility,turns,alive").astype("i8"))
    shares, found = torch.randn(300, 16), []
    for bag in (alea.torch.Bag.apply, lambda rows, weights: torch.nn.functional.embedding_bag(rows, weights, mode="sum")):
        [gradient] = torch.autograd.grad((bag(rows, weights) * shares).sum(), weights)
        found.append(gradient)
    assert torch.allclose(*found, atol=1e-4)


def test_gradients_pass_the_roundings():
    network = alea.torch.Network()
    rows = torch.from_numpy(alea.game("einstein").rows(alea.endgames(64), network.alea_inputs).astype("i8"))
    network(rows).sum().backward()
    assert all(parameter.grad is not None and parameter.grad.abs().sum() > 0 for parameter in network.parameters())


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_loader_show_every_sample_once(tmp_path, method):
    table = alea.read_games(SAMPLE)
    for part in range(3):
        alea.write_games(table.filter(table["game"].to_numpy() % 3 == part), tmp_path / str(part))
    dataset = alea.torch.Dataset([tmp_path / str(part) for part in range(3)], symmetries=False)
    loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=2, multiprocessing_context=method, timeout=120)
    targets = torch.cat([batch["target"] for batch in loader])
    expected = numpy.concatenate([batch["target"] for batch in dataset.samples.epoch(1)])
    assert len(expected) == dataset.samples.training
    assert sorted(targets.tolist()) == sorted(expected.tolist())


class Plain(torch.nn.Module):
    """Any module over what boards show."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(alea.VecEnv("einstein", 1).observations.shape[1], 1)

    def forward(self, cells):
        return torch.sigmoid(self.layer(cells.float()))


def test_modules_are_asked_without_gradients():
    asked = alea.CallableEvaluator(Plain())
    assert asked(alea.VecEnv("einstein", 3).observations).shape == (3,)
    assert alea.arena(Plain(), "random", games=20)["a"] == "Plain"


def test_a_network_is_asked_in_batches():
    network, began = alea.torch.Network(), time.perf_counter()
    match = alea.arena(network, "greedy", games=1000)
    assert match["games"] == 1000 and time.perf_counter() - began < 60
