"""Every entry of the transition matrices of CIFAR-10N, counted in the real files."""

import numpy as np
import pytest

from candidly.data.imperfect import apply
from candidly.data.labels.describe import describe, transition
from candidly.data.sources import load

from needs import real_files

COUNTS = {  # of the 5,000 images of a true class (a row), how many have each given label
    "aggre": """
        4715   28   73    2    4    1    2    1  159   15
          52 4740    1    2    0    0    0    1   23  181
          80   62 4655   32   42   28   34    8   44   15
          99   86  219 4126   32  287   44    8   49   50
          91   82  188   75 4156  104   24  188   56   36
          52   38  107  258   21 4460    7   20   19   18
          64   54  133  100   43   26 4501    0   54   25
          31   13   27   23   50   57    0 4776   17    6
          52   40    4    3    1    0    3    0 4869   28
          78  366    0    0    0    0    1    1   57 4497
    """,
    "rand1": """
        4242  137  147   43   34   47   41   32  204   73
          71 4233   23   44   29   23   25   24   43  485
         107   76 4200  107  136  101  115   76   50   32
          79   76  220 3715   94  542  120   79   36   39
          74   76  149   96 3800  252   93  385   44   31
          70   54  118  409   83 4117   50   63   19   17
          75   70  193  179   98  113 4135   60   50   27
          74   59   37   45  103  118   36 4475   31   22
         149  148   36   31   35   30   33   34 4397  107
          80  629   23   25   33   40   27   27   47 4069
    """,
    "rand2": """
        4211  129  186   35   42   41   47   30  203   76
          79 4156   30   59   39   34   26   32   28  517
         118   88 4174  113  134  115  105   65   46   42
          94   87  209 3689  112  526  133   54   45   51
         104   76  156   90 3762  253   99  373   51   36
          75   59  109  429   89 4032   66   81   24   36
          69   81  194  156  103  136 4128   60   45   28
          72   45   61   51  113  143   45 4412   39   19
         169  148   45   29   42   40   24   44 4367   92
          83  628   35   43   43   35   26   32   67 4008
    """,
    "rand3": """
        4242  138  163   38   42   50   36   36  193   62
          91 4214   33   55   30   31   23   25   20  478
         106   76 4213   92  126  108  132   70   51   26
          92   72  198 3722  115  509  135   61   52   44
          85   67  194   96 3709  291  103  387   42   26
          62   57  124  404   82 4099   59   60   28   25
          87   79  170  169  115  125 4127   55   44   29
          74   45   45   39  101  140   52 4458   26   20
         155  160   45   28   36   35   32   47 4366   96
          93  610   38   55   33   38   23   26   54 4030
    """,
    "worst": """
        3251  328  359   96   97  114   94   83  423  155
         215 2961   76  132   87   77   68   68   79 1237
         277  183 3160  229  297  238  249  166  118   83
         198  172  396 2436  213 1028  235  119  106   97
         197  163  350  201 2441  532  195  758  105   58
         165  141  264  915  202 2901  137  147   61   67
         190  191  420  379  254  288 2968  143  102   65
         199  140  121  110  256  309  115 3608   87   55
         409  364  109   72  105   93   82  109 3417  240
         208 1410   87  103   88   88   60   72  131 2753
    """,
}


@pytest.fixture(autouse=True)
def labels_alone(monkeypatch):
    monkeypatch.setattr("candidly.data.sources.with_pictures", lambda data, *_: data)


def counts_of(name):
    return np.array([line.split() for line in COUNTS[name].split("\n") if line.strip()], int)


def counted(data):
    found = np.zeros((10, 10), int)
    np.add.at(found, (data.truth, data.given), 1)
    return found


@real_files
@pytest.mark.parametrize("name", COUNTS)
def test_every_entry_of_the_transition_matrix(name):
    data, expected = load(f"cifar10n-{name}"), counts_of(name)
    assert expected.sum(1).tolist() == [5000] * 10
    assert np.array_equal(counted(data), expected)
    assert np.allclose(transition(data.given, data.truth, 10), expected / 5000, rtol=0, atol=1e-12)
    assert np.allclose(describe(data).oracle_transition, expected / 5000, rtol=0, atol=1e-12)


@real_files
@pytest.mark.parametrize("name", COUNTS)
def test_the_synthetic_counterpart_has_the_matrix_within_sampling_error(name, tmp_path):
    human, expected = load(f"cifar10n-{name}"), counts_of(name) / 5000
    file = tmp_path / "human.npz"
    human.save(file)
    made = apply(human, f"empirical:file={file},seed=0")
    error = np.sqrt(expected * (1 - expected) / 5000)
    gaps = np.abs(counted(made) / 5000 - expected)
    assert (gaps <= 5 * error).all()
    assert (gaps[expected > 0.01] <= 2 * error[expected > 0.01]).mean() > 0.85  # no closer either
    assert (gaps > 0).mean() > 0.5
    wrong = human.given != human.truth
    both = ((made.given != made.truth) & wrong).mean()
    by_chance = ((1 - expected.diagonal()) ** 2).mean()  # who is wrong is independent of it
    assert both == pytest.approx(by_chance, abs=5 * np.sqrt(by_chance / 50_000))
