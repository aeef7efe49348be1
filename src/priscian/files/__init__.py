"""Files: one table reader, atomic writing, safe file names, unpacking with limits."""

from __future__ import annotations

from priscian.files.delimited import DELIMITED_SUFFIXES, NumberedRows, Row, parse_delimited
from priscian.files.names import (
    file_names,
    inside,
    is_unicode,
    lasting_name,
    name_files,
    names_in,
    natural_order,
)
from priscian.files.numbers import whole_number
from priscian.files.packaged import read_tsv
from priscian.files.parquet import read_frame
from priscian.files.places import hide_paths, hide_place
from priscian.files.plain import HIDDEN, INLINE, by, plain, prefixed
from priscian.files.reading import (
    PathLike,
    decode_json,
    decode_toml,
    read_bytes,
    read_json,
    read_text,
    shown,
)
from priscian.files.rows import collector_paused, data_files, label, sentence_at
from priscian.files.tables import (
    JSONL_SUFFIXES,
    ROW_SUFFIXES,
    TABLE_SUFFIXES,
    columns_of,
    read_table,
)
from priscian.files.unchanged import steady, unchanged
from priscian.files.unpack import open_unpacked
from priscian.files.write import (
    as_json,
    check_folder,
    delimited_text,
    filling,
    is_free,
    is_leftover,
    make_private,
    replacing,
    replacing_folder,
    write_bytes,
    write_delimited,
    write_json,
    write_parquet,
    write_text,
)

__all__ = [
    "DELIMITED_SUFFIXES",
    "HIDDEN",
    "INLINE",
    "JSONL_SUFFIXES",
    "ROW_SUFFIXES",
    "TABLE_SUFFIXES",
    "NumberedRows",
    "PathLike",
    "Row",
    "as_json",
    "by",
    "check_folder",
    "collector_paused",
    "columns_of",
    "data_files",
    "decode_json",
    "decode_toml",
    "delimited_text",
    "file_names",
    "filling",
    "hide_paths",
    "hide_place",
    "inside",
    "is_free",
    "is_leftover",
    "is_unicode",
    "label",
    "lasting_name",
    "make_private",
    "name_files",
    "names_in",
    "natural_order",
    "open_unpacked",
    "parse_delimited",
    "plain",
    "prefixed",
    "read_bytes",
    "read_frame",
    "read_json",
    "read_table",
    "read_text",
    "read_tsv",
    "replacing",
    "replacing_folder",
    "sentence_at",
    "shown",
    "steady",
    "unchanged",
    "whole_number",
    "write_bytes",
    "write_delimited",
    "write_json",
    "write_parquet",
    "write_text",
]
