"""The tables as they are today, for queries; ``migrations`` makes them."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Float,
    Integer,
    MetaData,
    Table,
    Text,
    literal_column,
)

META = MetaData()
ZERO: ColumnElement[int] = literal_column(
    "0"
)  # said outright: an index over a part of a table needs to see it

version = Table(
    "version",
    META,
    Column("number", Integer, primary_key=True),
    Column("at", Float),
)

project = Table(
    "project",
    META,
    Column("id", Integer, primary_key=True),
    Column("fingerprint", Text),  # of rules and items: copies of one project share it
    Column("rules", Text),  # JSON
    Column("origin", Text),  # JSON; the table that the items are rows of, or null
    Column("drawn", Text),  # JSON; how the items were drawn, where that was for a count, or null
    Column("at", Float),
)

person = Table(
    "person",
    META,
    Column("id", Integer, primary_key=True),
    Column("code", Text),
    Column("name", Text),
    Column("excluded", Integer),
    Column("cursor", BigInteger),  # place in the queue up to which all was seen or closed
    Column("turns", Integer),
    Column("golds", Integer),
    Column("answers", Integer),
    Column("skips", Integer),
    Column("fast", Integer),
    Column("ms", Float),
    Column("timed", Integer),  # answers and skips of which ``ms`` is the sum
    Column("revoked", Integer),  # how often their links and sessions were ended
)

item = Table(
    "item",
    META,
    Column("id", Integer, primary_key=True),
    Column("at_row", BigInteger),  # row of the data set, -1 where not known
    Column("name", Text),
    Column("given", Integer),
    Column("guessed", Integer),
    Column("asks", Integer),  # the class of a yes/no question
    Column("truth", Integer),
    Column("score", Float),
    Column("gold", Integer),
    Column("key", Text),  # the right answer to a gold item
    Column("kind", Text),
    Column("payload", Text),  # a file below media, or the text itself
    Column("queue", BigInteger),
    # counts of its answers that count; ``refresh`` keeps them
    Column("open", Integer),
    Column("done", Integer),
    Column("said", Integer),
    Column("skipped", Integer),
    Column("held", Integer),
    Column("pattern", Text),
)

entry = Table(
    "entry",
    META,
    Column("seq", Integer, primary_key=True),
    Column("id", Text),
    Column("kind", Text),
    Column("person", Integer),
    Column("item", Integer),
    Column("repeat", Integer),
    Column("choice", Text),
    Column("target", Text),  # the entry that an undo takes back
    Column("note", Text),
    Column("flip", Integer),  # 1: the guessed class stood first
    Column("batch", Integer),
    Column("ms", Float),
    Column("at", Float),
    Column("interface", Text),
    Column("blind", Integer),
    Column("late", Integer),
    Column("examples", Text),
    Column("named", Integer),  # another class, where neither of two fits; or null
)

decision = Table(
    "decision",
    META,
    Column("seq", Integer, primary_key=True),
    Column("id", Text),
    Column("item", Integer),
    Column("choice", Text),  # null: what was decided before is taken back
    Column("by", Text),
    Column("note", Text),
    Column("at", Float),
)

seat = Table(
    "seat",
    META,
    Column("item", Integer, primary_key=True),
    Column("person", Integer, primary_key=True),
    Column("repeat", Integer, primary_key=True),
    Column("flip", Integer),
    Column("until", Float),  # of a lease; 0: lapsed; null: answered, or seen openly
    Column("entry", Text),  # the answer that stands
    Column("open", Integer),
    Column("turn", Integer),
    Column("batch", Integer),
)

example = Table(
    "example",
    META,
    Column("id", Integer, primary_key=True),
    Column("of_class", Integer),
    Column("kind", Text),
    Column("payload", Text),
)

session = Table(
    "session",
    META,
    Column("id", Text, primary_key=True),
    Column("role", Text),
    Column("person", Integer),  # null: of no one person
    Column("until", Float),
)

event = Table(
    "event",
    META,
    Column("seq", Integer, primary_key=True),
    Column("at", Float),
    Column("by", Text),
    Column("what", Text),
    Column("about", Text),
    Column("more", Text),  # JSON, or null
)
