"""A Parquet file of games is written again by pandas, DuckDB, Polars and pyarrow, which leave out what it says of its games;
imported by the rules that are named, it has the same games. `rewrite.py ALEA PLAIN DIRECTORY` leaves the files in the
directory: those of trainer/tests/records/parquet are such.
"""

import json
import pathlib
import subprocess
import sys

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet

alea, plain, directory = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
table = pyarrow.parquet.read_table(plain)
frame = table.to_pandas()
numbers = {name: "int64" if name.startswith("player") else "float64" for name, kind in frame.dtypes.items() if kind in ("int32", "float32")}
directory.mkdir(exist_ok=True)
file = lambda name: str(directory / f"{name}.parquet")

frame.to_parquet(file("pandas"))
frame.astype(numbers).to_parquet(file("pandas_float64_gzip"), compression="gzip")
polars.from_arrow(table).write_parquet(file("polars_zstd"))
polars.from_arrow(table).with_columns(polars.col("move").cast(polars.Categorical)).write_parquet(file("polars_categories"))
for name, options in [("duckdb", ""), ("duckdb_zstd_v2", ", compression zstd, parquet_version v2")]:
    duckdb.sql(f"copy (select * from '{plain}') to '{file(name)}' (format parquet{options})")
bare = table.replace_schema_metadata(None)
strings = bare.set_column(bare.schema.get_field_index("position"), "position", bare["position"].cast(pyarrow.large_string()))
strings = strings.set_column(strings.schema.get_field_index("move"), "move", strings["move"].dictionary_encode())
pyarrow.parquet.write_table(strings, file("pyarrow_strings"), compression="zstd", data_page_version="2.0")


def lines(path):
    """Games as JSON lines, without the first, which says who played."""
    exported = directory / "games.jsonl"
    subprocess.run([alea, "data", "export", path, "--out", exported, "--overwrite"], check=True, capture_output=True)
    return [json.loads(line) for line in exported.read_text().splitlines()][1:]


def imported(path):
    """The games of a file."""
    records = directory / f"{pathlib.Path(path).stem}.records"
    subprocess.run([alea, "data", "import", path, "--game", "einstein", "--out", records], check=True, capture_output=True)
    return lines(records)


expected = imported(plain)
for path in sorted(directory.glob("*.parquet")):
    assert imported(path) == expected, f"{path}: other games"
    print(f"{path.stem}: the same {len(expected)} games")
