"""Files: atomic writing, safe names, and tables of rows with the place of every error."""

from __future__ import annotations

from priscian.files.names import file_names
from priscian.files.write import replacing, write_bytes, write_json, write_text

__all__ = ["file_names", "replacing", "write_bytes", "write_json", "write_text"]
