"""The made-up birds: what is said of them is true."""

import csv
import io

import numpy as np

from candidly import criteria
from candidly.data.examples import birds
from candidly.data.ingest import read


def rows_of(name):
    return list(csv.DictReader(io.StringIO(birds.files()[name].decode())))


def test_of_62_birds_the_species_is_checked_and_right():
    rows, every = rows_of("birds.csv"), birds.birds()
    checked = [row for row in range(birds.N) if rows[row]["checked"]]
    assert len(rows) == birds.N == 500
    assert checked == list(birds.CHECKED)
    assert len(checked) == 62
    assert all(rows[row]["checked"] == every[row][0] for row in checked)


def test_of_12_birds_and_3_that_were_checked_the_species_is_no_candidate():
    lacking = [row for row, bird in enumerate(birds.birds()[: birds.N]) if bird[0] not in bird[2]]
    assert len(lacking) == birds.LACKING == 12
    assert len(set(lacking) & set(birds.CHECKED)) == 3


def test_sets_come_about_as_equation_8_assumes(tmp_path):
    (tmp_path / "birds.csv").write_bytes(birds.files()["birds.csv"])
    data = read(tmp_path / "birds.csv", truth="checked")
    assert data.classes == birds.SPECIES
    found = criteria.constant_flip_rate(data.candidates)
    assert not found.doubt
    assert abs(found.rate - birds.LEFT_IN) < 2 * found.error
    assert min(np.bincount(data.truth[data.truth >= 0])) >= 8


def test_columns_have_gaps_and_new_birds_have_no_labels():
    new = rows_of("new-birds.csv")
    assert len(new) == birds.NEW
    assert list(new[0]) == list(birds.COLUMNS)
    for name in ("weight_g", "wing_mm", "back"):
        share = np.mean([not row[name] for row in rows_of("birds.csv")])
        assert 0 < share < 0.2
