"""The catalogue that every table belongs to, and the kinds of columns they are made of."""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Float, MetaData, Text

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)
VOLATILE = {"volatile": True}


def text_column(name: str, *, null: bool = False, volatile: bool = False) -> Column[Any]:
    return Column(name, Text, nullable=null, info=VOLATILE if volatile else {})


def ms_column(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, BigInteger, nullable=null, info=VOLATILE)


def int_column(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, BigInteger, nullable=null)


def flag_column(name: str) -> Column[Any]:
    return Column(name, Boolean, nullable=False)


def real_column(name: str) -> Column[Any]:
    return Column(name, Float, nullable=False)
