"""A GGUF file with the same model in float32: what llama.cpp rounds is then its own doing."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def write_float32(source: Path, target: Path) -> Path:
    """Copy a GGUF file; every quantised tensor is written as the float32 values it stands for."""
    from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter
    from gguf.quants import dequantize

    reader = GGUFReader(source)
    name = str(reader.fields["general.architecture"].contents())
    writer: Any = GGUFWriter(target, name)
    skipped = ("GGUF.", "general.architecture", "general.file_type")
    for field in reader.fields.values():
        if field.name.startswith(skipped):
            continue
        kind = field.types[0]
        inner = field.types[-1] if kind == GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, field.contents(), kind, inner)
    writer.add_file_type(0)  # all float32
    for tensor in reader.tensors:
        data: Any = tensor.data
        if tensor.tensor_type != GGMLQuantizationType.F32:
            data = dequantize(data, tensor.tensor_type)
        writer.add_tensor(tensor.name, data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return target
