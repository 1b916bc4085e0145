"""Who opens files: ``ingest`` those of users, and a few others their own, each for a reason."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import candidly

SRC = Path(candidly.__file__).parent

# functions and methods that read a file, by their last name
READS = {
    "open", "read_bytes", "memmap", "fromfile", "loadtxt", "genfromtxt",
    "loadmat", "read_csv", "read_parquet", "read_ndjson", "read_ipc", "read_ipc_stream",
    "read_excel", "read_feather", "read_pickle",
    "scan_csv", "scan_parquet", "scan_ipc", "scan_ndjson", "ZipFile", "is_zipfile", "GzipFile",
    "safe_open", "lines_of", "read_arrays",
}  # fmt: skip
# the same of modules, where the last name alone would also be another's
OF_MODULES = {
    "np.load", "numpy.load", "torch.load", "json.load", "csv.reader", "csv.DictReader",
    "gzip.decompress", "tarfile.open", "Image.open", "os.open", "lzma.open", "tomllib.load",
    "fastexcel.read_excel", "safetensors.torch.load_file",
}  # fmt: skip
LAST = READS | {name.rpartition(".")[2] for name in OF_MODULES} | {"read_text"}

MAY = {  # modules outside `ingest` that open files, and which
    "ground/device.py": "/proc: the memory there is",
    "ground/imported.py": "a user's Python files, for what they import",
    "ground/files.py": "lines of text for `ingest`; writes beside and renames",
    "learn/written/folders.py": "a language model's folder, for its checksum",
    "learn/written/nets.py": "a user's Python file, for its checksum",
    "learn/written/policy.py": "a user's policy of views: settings, not data",
    "data/labels/_stored.py": "the bytes of pictures and sounds, for a fingerprint alone",
    "data/labels/storage.py": "the .npz files that Labelled.save wrote",
    "data/labels/labelled.py": "the .npz files that Labelled.save wrote",
    "learn/engine/checkpoint.py": "checkpoints",
    "data/examples/__init__.py": "a file that is there, to compare it with the example",
    "compare/corpora/builder.py": "what an earlier build has written in its folder",
    "compare/challenge/_bubblewrap.py": "short texts in memory that a program is shown",
    "compare/challenge/_data.py": "the files that it has written itself",
    "compare/challenge/_manifest.py": "a submission's manifest, bounded",
    "compare/challenge/_protocol.py": "a challenge's file",
    "compare/challenge/_result.py": "what runs were, and answers as bytes",
    "compare/challenge/_run.py": "/proc, and times that it has written itself",
    "compare/challenge/_submit.py": "a submission's files, as bytes and words",
    "compare/challenge/entry.py": "what a challenge hands to a run",
    "compare/challenge/_first_process.py": "/proc, and folders to hand their descriptors over",
    "compare/challenge/_start.py": "a pipe, and /proc: the memory in use",
    "compare/challenge/_watch.py": "files that a submission wrote, as bytes",
    "compare/challenge/environment.py": "requirements of a submission; what it wrote about them",
    "data/inputs/tokenisers.py": "the tokeniser in a language model's folder",
    "learn/encoders/_efficientnet.py": "the numbers of an installed package, as tensors alone",
    "learn/encoders/_kept.py": "features that it has kept",
    "learn/encoders/_named.py": "an installed package's file, for its checksum",
    "learn/encoders/_pictures.py": "the bytes of pictures, to know those that it has seen before",
    "learn/encoders/_vision.py": "an encoder's folder: its settings and its numbers",
    "learn/encoders/_zero_shot.py": "the same of a model that reads texts, too",
    "learn/nets/hf/_folder.py": "a language model's configuration",
    "learn/nets/hf/_weights.py": "a language model's numbers",
    "learn/model/_file.py": "saved models",
    "errors/crossval/_duplicates.py": "the bytes of pictures and sounds, to find copies",
    "errors/crossval/_result.py": "the .npz files that CrossValidated.save wrote",
    "errors/detectors/_cost.py": "/proc: the memory in use",
    "errors/confident/_work.py": "the folder of a run that goes on",
    "people/review/_folder.py": "a project's folder",
    "people/review/_media.py": "copies media that `ingest.media` has let in",
    "people/review/load.py": "logs that review export wrote",
    "people/review/project.py": "a project's folder",
    "data/sources/_batches.py": "archives of published pictures",
    "data/sources/_images.py": "published files, by checksum or name",
    "data/sources/_ordered_file.py": "a published pickle, by its steps",
    "data/sources/_parts.py": "published files, by checksum or name",
    "data/sources/_picture_tables.py": "tables of published pictures",
    "data/sources/_torch_file.py": "published files, by checksum or name",
    "data/sources/cifar_n.py": "published files, by checksum or name",
    "data/sources/fetch.py": "checksums of published files",
    "people/validation/label_errors.py": "published files, by checksum or name",
    "data/sources/plcifar10.py": "a published pickle, by its steps",
    "data/sources/pictures.py": "published files, by checksum or name",
    "compare/challenge/_cgroup.py": "the kernel's files of control groups",
    "compare/sweep/code.py": "candidly's own source",
    "compare/sweep/columns.py": "the journal",
    "compare/sweep/failed.py": "what it has written about runs that failed",
    "compare/sweep/journal.py": "the journal",
    "compare/sweep/lines.py": "the journal",
    "compare/sweep/packed.py": "the journal",
    "compare/sweep/keeping.py": "a checkpoint that it has just written, to send it",
    "compare/sweep/on_ray.py": "checkpoints, and its copies of a data set's files",
    "ground/cluster.py": "candidly's own source",
    "learn/contract/reached.py": "the source of a plug-in that is checked",
    "ground/plugins.py": "the source of a plug-in",
    "compare/sweep/own_files.py": "the copies that it keeps of a user's own networks and policies",
    "compare/sweep/plan.py": "plans",
    "compare/sweep/settings.py": "settings of a sweep, which are TOML and no data",
    "compare/sweep/worker.py": "pictures that the sweep has just written",
    "compare/tracking/_follow.py": "what it has written about records that were sent",
    "people/validation/_corrected.py": "the .npz files that Corrected.save wrote",
    "people/web/_site.py": "a project's folder",
    "people/web/organiser.py": "tables that review export has just written",
    "cli/__init__.py": "/dev/null",
    "cli/review/demo.py": "a published file of pictures, for the demo",
}


def readings(path: Path) -> list[str]:
    """Calls in a file that read a file, as they stand there."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        method = isinstance(node.func, ast.Attribute)
        last = node.func.attr if method else getattr(node.func, "id", "")
        if last not in LAST:
            continue
        name = ast.unparse(node.func)
        if last not in READS and name not in OF_MODULES and not (method and last == "read_text"):
            continue
        modes = [*node.args, *(keyword.value for keyword in node.keywords)]
        if any(isinstance(m, ast.Constant) and m.value in ("w", "wb", "x", "xb") for m in modes):
            continue
        found.append(f"{name} in line {node.lineno}")
    return found


def test_nobody_else_opens_a_users_file():
    outside = {
        str(path.relative_to(SRC)): found
        for path in sorted(SRC.rglob("*.py"))
        if path.relative_to(SRC).parts[:2] != ("data", "ingest") and (found := readings(path))
    }
    strangers = {name: found for name, found in outside.items() if name not in MAY}
    assert strangers == {}
    assert set(MAY) <= set(outside)  # the table names nobody who opens nothing


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("open(path)", 1),
        ("path.open('rb')", 1),
        ("path.open('wb')", 0),
        ("path.read_text()", 1),
        ("np.load(path)", 1),
        ("Labelled.load(path)", 0),
        ("def f():\n    import polars as pl\n    return pl.scan_parquet(path)", 1),
        ("json.loads(text)", 0),
        ("zipfile.ZipFile(path)", 1),
        ("project.opened(path)", 0),
    ],
)
def test_calls_that_read_are_found(tmp_path, text, count):
    (tmp_path / "m.py").write_text(text)
    assert len(readings(tmp_path / "m.py")) == count
