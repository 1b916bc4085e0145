"""Many new rows of a table at once, by the quickest way that its database has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, insert
from sqlalchemy.exc import DBAPIError

MANY = 1_000  # from which PostgreSQL's planner is told afresh how large the table is


def insert_all(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that name the same columns."""
    if not rows:
        return
    if connection.dialect.name != "postgresql":
        connection.execute(insert(table), rows)
        return
    from psycopg import Error

    columns = list(rows[0])
    driver: Any = connection.connection.driver_connection
    names = ", ".join(f'"{name}"' for name in columns)
    said = f"COPY {table.name} ({names}) FROM STDIN"
    try:
        with driver.cursor() as cursor, cursor.copy(said) as copy:
            for row in rows:
                copy.write_row([row[name] for name in columns])
    except Error as error:
        raise DBAPIError(said, None, error) from error
    if len(rows) >= MANY:  # its own program for that comes by a minute later
        connection.exec_driver_sql(f"ANALYZE {table.name}")
