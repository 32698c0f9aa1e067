"""Opens a data set by its folder and compares it with its card and with the plain export of the same games."""

import sys
from pathlib import Path

import datasets
import pyarrow.dataset
import pyarrow.parquet
import yaml

folder, plain = Path(sys.argv[1]), pyarrow.parquet.read_table(sys.argv[2])
card = (folder / "README.md").read_text()
front = yaml.safe_load(card.split("---\n")[1])
told = {split["name"]: split["num_examples"] for split in front["dataset_info"]["splits"]}
assert list(told) == ["train", "validation", "test"], told
assert told == {one["split"]: told[one["split"]] for one in front["configs"][0]["data_files"]}

loaded = datasets.load_dataset(str(folder))
assert {name: split.num_rows for name, split in loaded.items()} == told
columns = {feature["name"]: feature["dtype"] for feature in front["dataset_info"]["features"]}
rows, games = [], {}
for name, split in loaded.items():
    assert {column: feature.dtype for column, feature in split.features.items()} == columns
    rows += split.to_list()
    games[name] = set(split["game"])
    # The table for people: | split | share | games | positions | files |
    line = next(line for line in card.splitlines() if line.startswith(f"| {name} |"))
    files = len(list(folder.glob(f"data/{name}-*.parquet")))
    assert line.split("|")[3:6] == [f" {len(games[name])} ", f" {told[name]} ", f" {files} "], line
assert len(list(folder.glob("data/train-*.parquet"))) > 1
assert sum(map(len, games.values())) == len(set.union(*games.values())) == len(set(plain["game"].to_pylist()))
assert sorted(rows, key=lambda row: (row["game"], row["ply"])) == plain.to_pylist()

opened = pyarrow.dataset.dataset(folder / "data", format="parquet")
assert opened.count_rows() == plain.num_rows == sum(told.values())
assert opened.schema.names == list(columns) == plain.schema.names

# The loader itself holds the rows to the counts of the card.
(folder / "README.md").write_text(card.replace(f"num_examples: {told['test']}", "num_examples: 1"))
try:
    datasets.load_dataset(str(folder))
except datasets.exceptions.NonMatchingSplitsSizesError:
    pass
else:
    sys.exit("a card with another count is not noticed")
print(f"{plain.num_rows} rows in {told}, {len(columns)} columns, as the card says")
