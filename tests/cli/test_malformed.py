"""Files that are not what they should be: a sentence each, which names them and no internals."""

from __future__ import annotations

import gzip
import re
import zipfile

import numpy as np
import openpyxl
import polars as pl
import pytest
from scipy.io import savemat

INTERNALS = re.compile(
    r"Traceback|polars|pydantic|infer_schema|truncate_ragged|dtype:|np\.|ufunc|Schema"
    r"|NoneType|object at 0x|iteration|unpack|invalid literal|array\("
)
X = np.array([[0.5, 1], [2, 3]])
Y = np.array([0, 1])


def arrays(**named):
    return lambda path: np.savez(path, **named)


def array(values):
    return lambda path: np.save(path, values)


def matlab(**named):
    return lambda path: savemat(path, named)


def parquet(**columns):
    return lambda path: pl.DataFrame(columns, strict=False).write_parquet(path)


def zipped(**members):
    """An archive; of names, the last _ is a dot."""

    def write(path):
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in members.items():
                archive.writestr(name.replace("_", "."), text)

    return write


def workbook(rows, merged=None):
    def write(path):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        if merged:
            book.active.merge_cells(merged)
        book.save(path)

    return write


DATA = {  # of `candidly data describe`
    "empty.csv": ("", "is empty."),
    "blank.csv": ("\n\n\n", "the file is empty; its first line must name the columns."),
    "header.csv": ("a,given\n", "it has no rows below its header."),
    "mixed.csv": (
        "a,given\n1;cat\n2;dog\n",
        "line 2 has 1 cell, and the first line has 2: it is separated by",
    ),
    "mixed2.csv": (
        "a,given\n1,cat\n2;dog\n",
        "line 3 has 1 cell, and the first line has 2: it is separated by",
    ),
    "either.csv": (
        "a;b,given\n1;2,cat\n3;4,dog\n",
        "its cells could be separated by commas or semicolons. Say which with",
    ),
    "twice.csv": (
        "a,given,given\n1,cat,dog\n2,dog,cat\n",
        "two columns are called 'given', number 2 and number 3. Rename or drop",
    ),
    "short.csv": (
        "a,b,given\n1,2,cat\n1,2\n",
        "line 3 has 2 cells, and the first line has 3. A cell that holds a comma",
    ),
    "long.csv": (
        "a,given\n1,cat\n1,cat,3\n",
        "line 3 has 3 cells, and the first line has 2. A cell that holds a comma",
    ),
    "noname.csv": (
        "a,,given\n1,2,cat\n2,3,dog\n",
        "column number 2 has no name in the first line. Name it.",
    ),
    "trailing.csv": (
        "a,given,\n1,cat,\n2,dog,\n",
        "column number 3 has no name in the first line. Name it, or take out the",
    ),
    "gapline.csv": ("a,given\n1,cat\n\n2,dog\n", "row 1 is empty. Delete the line, or fill it in."),
    "gaps.csv": ("a,given\n,cat\n,dog\n", "no column of inputs with a value"),
    "thousands.csv": (
        'a,given\n"1,000",cat\n"2,000",dog\n',
        "column 'a' has '1,000' at row 0, which is a thousand",
    ),
    "inf.csv": (
        "a,given\n1,cat\ninf,dog\n",
        "inf at row 1",
    ),
    "half.csv": (
        "a,given\n1,1.5\n2,0\n",
        "has 1.5 at row 0; labels are names or whole numbers.",
    ),
    "floats.csv": (
        "a,given\n1,0.25\n2,0.5\n3,0.75\n",
        "has 0.25 at row 0; labels are names or whole numbers.",
    ),
    "utf16.csv": (
        "a,given\n1,caf\u00e9\n2,dog\n".encode("utf-16-le"),
        "line 1 has a byte 0, so it is no text, or text in UTF-16 without a",
    ),
    "marked.csv": (
        b"\xef\xbb\xbfa,given\n1,caf\xe9\n2,dog\n",
        "it is marked as UTF-8, and line 2 is not; save it again.",
    ),
    "zero byte.csv": (
        b"a,given\n1,c\x00t\n2,dog\n",
        "line 2 has a byte 0, so it is no text, or text in UTF-16 without a",
    ),
    "gz.csv": (
        gzip.compress(b"a,given\n1,cat\n2,dog\n"),
        "by its content it is a gzip file (.gz); give it that ending.",
    ),
    "none.csv.gz": (
        b"a,given\n1,cat\n2,dog\n",
        "is no gzip file, or a damaged one. If it is not packed, take .gz off",
    ),
    "torn.csv.gz": (
        gzip.compress(b"a,given\n1,cat\n2,dog\n" * 50)[:40],
        "is no gzip file, or a damaged one. If it is not packed, take .gz off",
    ),
    "x.csv.gz": (b"", "is empty."),
    "nothing.csv.gz": (gzip.compress(b""), "is empty."),
    "none.zip": (b"a,given\n1,cat\n", "is no zip archive, or a damaged one."),
    "two.zip": (
        zipped(a_csv="a,given\n1,cat\n2,dog\n", b_csv="a,given\n1,cat\n2,dog\n"),
        "holds 2 tables (a.csv, b.csv); pack exactly one, or give the table",
    ),
    "no table.zip": (
        zipped(a_png="x"),
        "holds no tables (a.png); pack exactly one, or give the table itself.",
    ),
    "hollow.zip": (
        zipped(),
        "holds no tables (nothing); pack exactly one, or give the table itself.",
    ),
    "torn.zip": (b"PK\x03\x04abc", "is no zip archive, or a damaged one."),
    "png.csv": (
        b"\x89PNG\r\n\x1a\n\x00\x00",
        "line 3 has a byte 0, so it is no text, or text in UTF-16 without a",
    ),
    "parquet.csv": (
        b"PAR1xxxxPAR1",
        "by its content it is a Parquet file (.parquet); give it that ending.",
    ),
    "case.csv": (
        "a,b\n1,cat\n2,dog\n",
        "it has the columns a, b. Needed: at least one of label, given,",
    ),
    "alone.csv": (
        "given\ncat\ndog\n",
        "it has no column of inputs: numbers, texts or pictures' files.",
    ),
    "set.csv": (
        "a,candidates\n1,cat|\n2,dog\n",
        "has 'cat|' at row 0, where a label has no name.",
    ),
    "list.csv": (
        'a,candidates\n1,"[cat, dog]"\n2,dog\n',
        "has '[cat, dog]' at row 0, which looks like a list",
    ),
    "path.csv": (
        "path,given\n,cat\nx.png,dog\n",
        "column 'path' is empty at row 0. Drop such rows.",
    ),
    "text.csv": ("text,given\n,cat\nx,dog\n", "column 'text' is empty at row 0. Drop such rows."),
    "quote.csv": (
        'a,given\n1,"cat\n2,dog\n',
        "the quotes of line 2 are not balanced: one opens a cell and none closes",
    ),
    "quote2.csv": (
        'a,given\n1,"cat" x\n2,dog\n',
        "the quotes of line 2 are not balanced: one opens a cell and none closes",
    ),
    "quote3.csv": (
        'a,given\n1,c"at\n2,dog\n',
        "line 2 has a quote inside a cell; write it twice, and quotes around the",
    ),
    "ids.csv": (
        "id,a,given\nx,1,cat\nx,2,dog\n",
        "`ids` has 'x' at row 0 and again at row 1. Give each example its own id.",
    ),
    "no id.csv": (
        "id,a,given\nx,1,cat\n,2,dog\n",
        "column 'id' is empty at row 1. Give each row a name of its own.",
    ),
    "one class.csv": (
        "a,given\n1,cat\n2,cat\n",
        "every label is 'cat'; there must be two different ones. Name another",
    ),
    "unlabelled.csv": (
        "a,given\n1,\n2,\n",
        "`given` is empty in every row; there is no label.",
    ),
    "dates.csv": (
        "a,given\n1,2024-01-01\n2,2024-01-02\n3,2024-01-03\n",
        "`given` holds dates such as '2024-01-01', and no classes. If",
    ),
    "many.csv": (
        "a,given\n" + "".join(f"{k},c{k}\n" for k in range(10_000)),
        "`given` has 10,000 different labels in 10,000 rows, as names and",
    ),
    "x.txt": ("hello", "it has the columns hello. Needed: at least one of label, given,"),
    "x.json": ("{}", "its JSON is an object of something else than columns"),
    "noending": ("hello", "is no file that can be read: its name must end in .csv, .tsv, .txt,"),
    "x.xls": (
        b"\xd0\xcf\x11\xe0",
        "is no file that can be read: its name must end in .csv, .tsv, .txt,",
    ),
    "x.doc": ("hello", "is no file that can be read: its name must end in .csv, .tsv, .txt,"),
    "bad.jsonl": (
        '{"a":1,"given":"cat"}\n{"a":2\n',
        'line 2 is no object in JSON; write one a line, such as {"text": "...",',
    ),
    "array.jsonl": (
        "[1,2]\n",
        "entry 0 of its list is no object",
    ),
    "nested.jsonl": (
        '{"a":{"b":1},"given":"cat"}\n{"a":{"b":2},"given":"dog"}\n',
        "column 'a' holds objects ({...}), as at row 0; give each value a column.",
    ),
    "bad.arff": (
        "@relation x\n@attribute a numeric\n1\n",
        "line 3 is no @attribute with a name and a type: '1'.",
    ),
    "none.arrow": (b"hello", "it is no Arrow file, or a damaged one. Write it again."),
    "none.feather": (b"ARROW1xx", "it is no Arrow file, or a damaged one. Write it again."),
    "none.xlsx": (b"hello", "it is no .xlsx workbook, or a damaged one."),
    "zip.xlsx": (
        zipped(a_txt="x"),
        "it is no .xlsx workbook, or a damaged one. Save it again, or as .csv.",
    ),
    "merged.xlsx": (
        workbook([["a", "given"], [1, "cat"], [2, "dog"], [3, "dog"]], "B2:B3"),
        "the cells B2:B3 are merged. Take them apart and fill each in.",
    ),
    "empty.xlsx": (
        workbook([]),
        "the sheet 'Sheet' is empty; its first line must name the columns.",
    ),
    "noname.xlsx": (
        workbook([["a", "", ""], [1, "cat", "x"]]),
        "column number 2 has no name in the first line. Name it.",
    ),
    "twice.xlsx": (
        workbook([["a", "a"], [1, "cat"]]),
        "two columns are called 'a', number 1 and number 2. Rename or drop one",
    ),
    "zero.npz": (b"", "is empty."),
    "torn.npz": (b"PK\x03\x04", "not an .npz file, or a damaged one (no zip archive)."),
    "other.npz": (
        arrays(foo=X),
        "has the arrays foo. Needed: inputs (or X, data), and one of candidates",
    ),
    "single.npz": (
        arrays(X=np.float64(3), y=np.int64(1)),
        "holds single numbers where arrays with one entry a row are needed.",
    ),
    "two.npz": (
        arrays(X=X, candidates=np.array([[0, 2], [1, 1]])),
        "`candidates` has 2 at row 0, column 1; a matrix of sets holds only 0",
    ),
    "nan.npz": (
        arrays(X=X * np.nan, y=Y),
        "`inputs` has nan at row 0, column 0. Fill in or drop such rows before",
    ),
    "lengths.npz": (
        arrays(X=np.ones((3, 2)), y=Y),
        "`given` has shape (2,), but (3,) is needed: `inputs` has 3 rows.",
    ),
    "complex.npz": (
        arrays(X=X + 1j, y=Y),
        "`inputs` is complex128 of shape (2, 2), not real numbers.",
    ),
    "deep.npz": (
        arrays(X=X, y=np.ones((2, 3, 4), int)),
        "`given` is int64 of shape (2, 3, 4); labels are one a row, (n,).",
    ),
    "classes.npz": (
        arrays(X=X, y=Y, classes=np.array(["a", "a"])),
        "`classes` has 'a' at position 0 and again at position 1. Rename one of",
    ),
    "none.npz": (arrays(X=X[:0], y=Y[:0]), "no labels to tell the classes from."),
    "objects.npz": (
        arrays(X=X.astype(object), y=Y),
        "it holds Python objects, which are never unpickled. Save strings as",
    ),
    "other.mat": (
        matlab(foo=X),
        "no array `data`; it has foo. Needed: data (n x d), partial_target (q x",
    ),
    "zero.mat": (b"", "is empty."),
    "text.mat": ("hello", "not a readable MATLAB file: it is damaged, or of another kind."),
    "nan.mat": (
        matlab(data=X * np.nan, partial_target=np.ones((3, 2))),
        "`inputs` has nan at row 0, column 0. Fill in or drop such rows before",
    ),
    "zero.parquet": (b"", "is empty."),
    "torn.parquet": (b"PAR1", "it is no Parquet file, or a damaged one. Write it again."),
    "lists.parquet": (
        parquet(a=[[1], [2]], given=["x", "y"]),
        "`inputs` has a column 'a' of List(Int64); columns hold numbers, truth",
    ),
    "several.parquet": (
        parquet(a=[1, 2], given=[["x", "y"], ["y"]]),
        "has ['x', 'y'] at row 0; it takes one label a row",
    ),
}

CROWD = {  # of `candidly crowd consensus`
    "missing.csv": (
        "item,label\n0,cat\n",
        "it has no column 'annotator', but item, label; it needs item,",
    ),
    "header.csv": ("item,annotator,label\n", "answers: there is none."),
    "who.csv": (
        "item,annotator,label\n0,,cat\n",
        "column 'annotator' is empty at row 0, where there is an answer; say who",
    ),
    "item.csv": (
        "item,annotator,label\n,a,cat\n",
        "column 'item' is empty at row 0. Each answer is about something; fill",
    ),
    "set.csv": (
        "item,annotator,label\n0,a,cat|dog\n",
        "`label` has 'cat|dog' at row 0, which is 2 labels; it takes one. Sets",
    ),
    "twice.csv": (
        "item,annotator,label\n0,a,cat\n0,a,dog\n",
        "answers: 'a' answers item 0 twice, in rows 0 and 1. Keep one of them,",
    ),
    "one.csv": (
        "item,annotator,label\n0,a,cat\n",
        "answers: there is one class, 'cat'. Name all that could have been said",
    ),
    "big.csv": (
        "item,annotator,label\n0,a,1000000\n",
        "there is one class, '1000000'. Name all that could have been said",
    ),
    "short.csv": (
        "item,annotator,label\n0,a,cat\n0,b\n",
        "line 3 has 2 cells, and the first line has 3. A cell that holds a comma",
    ),
    "double.csv": (
        "item,item,annotator,label\n0,0,a,cat\n",
        "two columns are called 'item', number 1 and number 2. Rename or drop",
    ),
    "votes.npz": (arrays(X=X, y=Y), "has no votes."),
    "x.txt": ("hello", "it has no column 'item', but hello; it needs item, annotator, label."),
    "none.csv.gz": (
        b"hello",
        "is no gzip file, or a damaged one. If it is not packed, take .gz off",
    ),
    "all empty.csv": ("item,annotator,label\n0,a,\n1,a,\n", "answers: there is none."),
    "float.csv": (
        "item,annotator,label\n0,a,0.5\n1,b,1.5\n",
        "answers: `label` has 0.5 at row 0; labels are names or whole numbers.",
    ),
    "two.zip": (
        zipped(a_csv="item,annotator,label\n", b_csv="x\n"),
        "holds 2 tables (a.csv, b.csv); pack exactly one, or give the table",
    ),
    "x.jsonl": (
        '{"item": 0, "annotator": "a"}\n',
        "it has no column 'label', but item, annotator; it needs item,",
    ),
}

VOTES = {  # of `candidly validate --votes`
    "missing.csv": (
        "item,answer\n0,given\n",
        "it has no column 'person', but item, answer; it needs item, person,",
    ),
    "item.csv": (
        "item,person,answer\nx,a,given\n",
        "column 'item' has 'x' at row 0, which is no number. Correct it, encode",
    ),
    "half.csv": (
        "item,person,answer\n0.5,a,given\n",
        "column 'item' has 0.5 at row 0, which is no whole number, or a far too",
    ),
    "huge.csv": (
        f"item,person,answer\n{10**23},a,given\n",
        "column 'item' has 1e+23 at row 0, which is no whole number, or a far",
    ),
    "negative.csv": (
        "item,person,answer\n-1,a,given\n",
        "item -1 is negative; items are row numbers from 0.",
    ),
    "answer.csv": (
        "item,person,answer\n0,a,gven\n",
        "the answer in row 0 is 'gven'; it can be given, guessed, both, neither,",
    ),
    "later.csv": (
        "item,person,answer\n0,a,\n0,b,gven\n",
        "the answer in row 1 is 'gven'; it can be given, guessed, both, neither,",
    ),
    "who.csv": (
        "item,person,answer\n0,,given\n",
        "column 'person' is empty at row 0, where there is an answer; say who",
    ),
    "class.csv": (
        "item,person,answer,given\n0,a,given,1.5\n",
        "the given class has 1.5 at row 0; labels are names or whole numbers.",
    ),
    "x.txt": ("hello", "it has no column 'item', but hello; it needs item, person, answer."),
    "x.doc": ("hello", "must end in one of .csv, .tsv, .txt, .jsonl, .ndjson, .json, .parquet,"),
    "empty.json": ("", "is empty."),
    "list.json": ("[1, 2]", "holds no list of rows, one per item."),
    "torn.json": (
        '[{\n"id": 1,',
        "it is no JSON: Expecting property name enclosed in double quotes in",
    ),
    "votes.json": (
        '[{"id": 0, "mturk": 3, "given_original_label": 0, "our_guessed_label": 1}]',
        "the votes of row 0 are 3, and no counts by name.",
    ),
    "count.json": (
        '[{"id": 0, "mturk": {"given": "x"}, "given_original_label": 0, "our_guessed_label": 1}]',
        "row 0 has 'x' votes for 'given'.",
    ),
    "label.json": (
        '[{"id": 0, "mturk": {"given": 1}, "given_original_label": "a", "our_guessed_label": 1}]',
        "row 0 has the label 'a'; it needs a class number from 0.",
    ),
}

LABELS = {  # of `candidly errors find --labels`, beside p.csv
    "short.csv": ("label\n0\n1\n0\n", "column 'label', has shape (3,); --probs has 4 rows."),
    "two.csv": (
        "x,y\n0,1\n1,0\n0,1\n1,0\n",
        "has 2 columns (x, y); name the one of labels with --label.",
    ),
    "bare.csv": (
        "0,1\n1,0\n0,1\n1,0\n",
        "has 2 columns; name the one of labels with --label. The first line has",
    ),
    "half.csv": (
        "label\n0\n1\n0.5\n1\n",
        "column 'label', has 0.5 at row 2; labels are names or whole numbers.",
    ),
    "beyond.csv": (
        "label\n0\n1\n2\n1\n",
        "column 'label', has label 2 at row 2, but there are 2 classes (0..1",
    ),
    "name.csv": (
        "label\ncat\ndog\ncot\ndog\n",
        "column 'label', has 'cot' at row 2, which is not among the classes (cat, dog",
    ),
    "gap.csv": (
        'label\n0\n1\n""\n1\n',
        "column 'label', has no label (-1, or an empty cell) at row 2, and in 1",
    ),
    "ids.csv": (
        "id,label\na,0\nb,1\nc,0\nx,1\n",
        "p.csv has no row for the id 'x' of row 3 of the labels; both name their",
    ),
    "id twice.csv": (
        "id,label\na,0\na,1\nc,0\nd,1\n",
        "column 'id', has 'a' again at row 1; each row needs a name of its own.",
    ),
    "no id.csv": (
        "id,label\na,0\n,1\nc,0\nd,1\n",
        "has an empty name at row 1; each row needs one.",
    ),
    "dates.csv": (
        "label\n2024-01-01\n2024-01-02\n2024-01-01\n2024-01-02\n",
        "column 'label', holds dates such as '2024-01-01', and no classes.",
    ),
    "all.csv": (
        "label\n-1\n-1\n-1\n-1\n",
        "column 'label', has no label (-1, or an empty cell) at row 0, and in 4",
    ),
    "few.csv": (
        "id,label\na,0\nb,1\n",
        "p.csv has the id 'c', which the labels lack; both name their rows, so",
    ),
    "dates.parquet": (
        parquet(label=pl.Series(["2024-01-01"] * 4).str.to_date()),
        "column 'label', holds no numbers and no names of classes, but Date.",
    ),
    "flat.npz": (
        arrays(foo=Y),
        "has no array 'given' that can be read; errors probs writes files that",
    ),
    "cube.npy": (
        array(np.zeros((2, 2, 2), int)),
        "of shape (2, 2, 2); labels are one a row, (n,).",
    ),
    "objects.npy": (
        lambda p: np.save(p, np.array([{}], object), allow_pickle=True),
        "cannot be read as an array of numbers or names: it is truncated, no",
    ),
    "bool.npy": (
        array(np.array([True] * 4)),
        "holds names ('True' at row 0); say with",
    ),
    "x.doc": ("hello", "must end in one of .npy, .npz, .csv, .tsv, .txt, .jsonl, .ndjson,"),
    "sets.csv": (
        "label\ncat|\ndog\ncat\ndog\n",
        "column 'label', has 'cat|' at row 0, where a label has no name. Write one",
    ),
}

PROBS = {  # of `candidly errors find --probs`, beside l.csv
    "sum.csv": (
        "cat,dog\n.5,.5\n.5,.4\n.5,.5\n1,0\n",
        "row 1 of sum.csv sums to 0.9, and 1 in all are off 1 by more than",
    ),
    "word.csv": (
        "cat,dog\n.5,.5\nhigh,.5\n.5,.5\n1,0\n",
        "column 'cat', has 'high' at row 1, which is no number. Correct it, or",
    ),
    "gap.csv": (
        "cat,dog\n.5,.5\n,.5\n.5,.5\n1,0\n",
        "has NaN or infinity at row 1, and in 1 row in all.",
    ),
    "logits.csv": (
        "cat,dog\n-2,3\n1,2\n1,1\n2,2\n",
        "has an entry outside [0, 1] at row 0, and in 3 rows in all.",
    ),
    "one.csv": ("cat\n1\n1\n1\n1\n", "has 1 column; label errors need two classes."),
    "short.csv": (
        "cat,dog\n1,0\n0,1\n",
        "l.csv, column 'label', has shape (4,); --probs has 2 rows.",
    ),
    "twice.csv": (
        "cat,cat\n1,0\n0,1\n1,0\n0,1\n",
        "two columns are called 'cat', number 1 and number 2. Rename or drop one",
    ),
    "text.parquet": (
        parquet(a=["x"] * 4, b=[0.5] * 4),
        "has columns that are no numbers: a. Leave them out with --drop, or name",
    ),
    "none.npy": (b"hello", "cannot be read as an array of numbers or names: it is truncated, no"),
    "x.doc": ("hello", "must end in one of .npy, .npz, .csv, .tsv, .txt, .jsonl, .ndjson,"),
    "line.csv": (
        "cat,dog\n.5,.5\n.5\n.5,.5\n1,0\n",
        "line 3 has 1 cell, and the first line has 2. A cell that holds a comma",
    ),
}


def written(path, content):
    if callable(content):
        content(path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def refused(candidly, path, content, message, *command):
    written(path, content)
    status, out, err = candidly(*command, path.name)
    assert (status, out) == (2, ""), err
    assert err.count("\n") == 1, err
    assert path.name in err
    assert message in err
    assert not INTERNALS.search(err), err
    if re.search(r"\brows? \d", err) and path.suffix == ".csv" and command[0] != "errors":
        assert "Rows count from 0, the header left out" in err


@pytest.mark.parametrize("name", DATA)
def test_data(candidly, tmp_path, name):
    refused(candidly, tmp_path / name, *DATA[name], "data", "describe")


@pytest.mark.parametrize("name", ["half.csv", "zero.npz", "x.txt"])
def test_a_benchmark_reads_files_the_same_way(candidly, tmp_path, name):
    command = ("bench", "plan", "--algorithms", "CC", "--splits", "1", "--dataset")
    refused(candidly, tmp_path / name, *DATA[name], *command)


@pytest.mark.parametrize("name", CROWD)
def test_crowd(candidly, tmp_path, name):
    refused(candidly, tmp_path / name, *CROWD[name], "crowd", "consensus")


@pytest.mark.parametrize("name", VOTES)
def test_validate(candidly, tmp_path, name):
    refused(candidly, tmp_path / name, *VOTES[name], "validate", "--votes")


@pytest.fixture
def beside(tmp_path):
    """Probabilities of four rows with ids, and labels without."""
    (tmp_path / "p.csv").write_text("id,cat,dog\na,.9,.1\nb,.2,.8\nc,.7,.3\nd,.4,.6\n")
    (tmp_path / "l.csv").write_text("label\n0\n1\n0\n1\n")


@pytest.mark.parametrize("name", LABELS)
def test_labels(candidly, tmp_path, beside, name):
    command = ("errors", "find", "--probs", "p.csv", "--labels")
    content, message = LABELS[name]
    written(tmp_path / name, content)
    sentence(candidly(*command, name), message)


@pytest.mark.parametrize("name", PROBS)
def test_probabilities(candidly, tmp_path, beside, name):
    command = ("errors", "find", "--labels", "l.csv", "--probs")
    content, message = PROBS[name]
    written(tmp_path / name, content)
    sentence(candidly(*command, name), message)


def sentence(answer, message):
    status, out, err = answer
    assert (status, out) == (2, ""), err
    *progress, said = err.splitlines()
    assert all("elapsed" in line for line in progress), err
    assert message in said
    assert not INTERNALS.search(err), err


CALLS = {
    "check leak.csv --label given": "column 'copy' copies the label: each of its 2 values goes",
    "check leak.csv --label gven": "there is no column 'gven' (--label); did you mean 'given'?",
    "check leak.csv --label given --drop cpy": "there is no column 'cpy' (--drop)",
    "check leak.csv --label given --id a --drop a": "column 'a' is named twice",
    "check leak.csv --label given --separator ab": "--separator is 'ab'; give one character",
    "check leak.csv --label given --text a --image copy": "--text and --image are both given",
    "check one.csv --label given": "every label is 'cat'; there must be two different ones",
    "check empty.csv --label given": "column 'given' is empty in every row",
    "check none.csv": "there is no file none.csv",
    "train one.csv --label given --out m.safetensors": "every label is 'cat'",
    "train leak.csv --label x --out m.safetensors": "there is no column 'x' (--label)",
    "predict none.safetensors leak.csv --out p.csv": "none.safetensors",
    "errors find --labels l.csv --probs p.csv --label x": "l.csv has no column 'x' (--label)",
    "errors find --labels l.csv --probs p.csv --drop x": "p.csv has no column 'x' (--drop)",
    "errors find --labels none.csv --probs p.csv": "there is no file none.csv",
    "errors find --labels l.csv --probs none": "there is no file none",
    "errors find --labels . --probs p.csv": ". is a folder; give a file of labels",
    "errors find --labels l.csv --probs .": ". holds no .npy or .parquet file",
    "crowd consensus leak.csv --item a --annotator copy --label x": "no column 'x' (--label)",
    "crowd consensus leak.csv --item x": "has no column 'x' (--item)",
    "validate --votes leak.csv --item a --annotator x": "has no column 'x' (--annotator)",
    "stability --labels l.csv --corrected l.csv --predictions l.csv": "columns of models",
}


@pytest.mark.parametrize("line", CALLS)
def test_calls(candidly, tmp_path, beside, line):
    rows = "".join(f"{k},{c},{c}\n" for k, c in enumerate(["cat", "dog"] * 10))
    (tmp_path / "leak.csv").write_text("a,given,copy\n" + rows)
    (tmp_path / "one.csv").write_text("a,given\n1,cat\n2,cat\n")
    (tmp_path / "empty.csv").write_text("a,given\n1,\n2,\n")
    sentence(candidly(*line.split()), CALLS[line])


def test_there_are_a_hundred_of_them():
    assert sum(map(len, (DATA, CROWD, VOTES, LABELS, PROBS, CALLS))) > 170


def test_folders(candidly, tmp_path):
    (tmp_path / "folder").mkdir()
    for command in (("data", "describe"), ("crowd", "consensus"), ("validate", "--votes")):
        status, _, err = candidly(*command, "folder")
        assert status == 2
        assert err.startswith("candidly: error: folder")


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffa,given\n1,cat\n2,dog\n",
        "a,given\r\n1,cat\r\n2,dog\r\n",
        "a,given\n1, cat \n2,dog\n\n\n",
        "a,given\n1e0,cat\n 2,dog",
    ],
)
def test_what_is_all_right(candidly, tmp_path, text):
    (tmp_path / "t.csv").write_text(text, newline="")
    status, _, err = candidly("data", "convert", "t.csv", "t.npz", "--json")
    assert (status, err) == (0, "")
    from candidly import load

    data = load(tmp_path / "t.npz")
    assert data.classes == ("cat", "dog")
    assert data.inputs.tolist() == [[1.0], [2.0]]


def test_empty_tables_of_answers_are_no_answers(candidly, tmp_path):
    (tmp_path / "v.csv").write_text("item,person,answer\n")
    assert candidly("validate", "--votes", "v.csv")[0] == 0


def test_large_item_numbers_take_no_memory(candidly, tmp_path):
    text = f"item,person,answer,given\n{10**12},a,given,1\n{10**12},b,given,1\n"
    (tmp_path / "v.csv").write_text(text)
    assert candidly("validate", "--votes", "v.csv")[0] == 0


def test_classes_can_be_declared_for_a_file(candidly, tmp_path):
    (tmp_path / "t.csv").write_text('a,given\n1,"shark, white"\n2,dog\n')
    (tmp_path / "names.txt").write_text("dog\nshark, white\n")
    assert candidly("data", "convert", "t.csv", "t.npz")[0] == 2
    assert candidly("data", "convert", "t.csv", "t.npz", "--classes", "names.txt")[0] == 0
    (tmp_path / "n.csv").write_text("a,given\n1,5000\n2,0\n")
    assert candidly("data", "convert", "n.csv", "n.npz", "--classes", "5001")[0] == 0
    status, _, err = candidly("data", "describe", "digits", "--classes", "a,b")
    assert status == 2
    assert "--classes says nothing of digits, which is read as" in err
