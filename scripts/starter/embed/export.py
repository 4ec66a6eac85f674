"""A checkpoint as ONNX: python export.py embedder|reranker CHECKPOINT OUTPUT

The token table is stored as int8 with one scale a row (one scale for all would lose the short rows of frequent words),
other large tables and matrices as fp16. All arithmetic is fp32, so the vector of a text does not depend on what stands
in its batch.
"""

import os
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

from encoder import Encoder
from reranker import Reranker
from tokenizer import VOCABULARY

OPERATORS = 17
SMALLEST_STORED_AS_FP16 = 1024  # numbers
NARROWEST_TOKEN_TABLE = 64
# class, inputs, output, its dynamic axes
KINDS = {
    "embedder": (Encoder, ["input_ids", "attention_mask"], "last_hidden_state", {0: "batch", 1: "length"}),
    "reranker": (Reranker, ["input_ids", "attention_mask", "token_type_ids"], "logits", {0: "batch"}),
}


def example():
    """Two texts of different lengths: ids, mask and types."""
    ids = torch.randint(5, 900, (2, 12), generator=torch.Generator().manual_seed(0))
    mask = torch.ones_like(ids)
    mask[1, 9:] = 0
    types = torch.zeros_like(ids)
    types[:, 6:] = 1
    return ids, mask, types * mask


def full_precision(model, inputs, output, output_axes, arguments):
    """The graph as torch exports it, every weight in fp32."""
    axes = {name: {0: "batch", 1: "length"} for name in inputs} | {output: output_axes}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        torch.onnx.export(
            model,
            arguments,
            path,
            input_names=inputs,
            output_names=[output],
            dynamic_axes=axes,
            opset_version=OPERATORS,
            dynamo=False,
        )
        found = onnx.load(path)
    del found.metadata_props[:]
    return found


def float_weights(graph):
    return [each for each in list(graph.initializer) if each.data_type == TensorProto.FLOAT]


def is_token_table(weight):
    return len(weight.dims) == 2 and weight.dims[0] == VOCABULARY and weight.dims[1] >= NARROWEST_TOKEN_TABLE


def rows_as_int8(graph, table):
    """Replaces each look-up in the table by look-ups of int8 rows and their scales."""
    rows = numpy_helper.to_array(table)
    scales = np.maximum(np.abs(rows).max(1, keepdims=True) / 127, 1e-8).astype(np.float32)
    small = np.clip(np.round(rows / scales), -127, 127).astype(np.int8)
    graph.initializer.remove(table)
    graph.initializer.extend(
        [numpy_helper.from_array(small, "token_rows"), numpy_helper.from_array(scales, "token_scales")]
    )
    lookups = [node for node in graph.node if node.op_type == "Gather" and node.input[0] == table.name]
    for number, lookup in enumerate(lookups):
        ids, output, place = lookup.input[1], lookup.output[0], list(graph.node).index(lookup)
        found, scale, row = (f"{name}_{number}" for name in ("found_rows", "found_scales", "float_rows"))
        graph.node.remove(lookup)
        nodes = [
            helper.make_node("Gather", ["token_rows", ids], [found]),
            helper.make_node("Gather", ["token_scales", ids], [scale]),
            helper.make_node("Cast", [found], [row], to=TensorProto.FLOAT),
            helper.make_node("Mul", [row, scale], [output]),
        ]
        for offset, node in enumerate(nodes):
            graph.node.insert(place + offset, node)


def store_as_fp16(graph, weights):
    """Adds a Cast to fp32 behind each; ONNX Runtime folds it when it loads the model."""
    casts = []
    for weight in weights:
        half, name = weight.name + "_fp16", weight.name
        graph.initializer.append(numpy_helper.from_array(numpy_helper.to_array(weight).astype(np.float16), half))
        graph.initializer.remove(weight)
        casts.append(helper.make_node("Cast", [half], [name], to=TensorProto.FLOAT, name=name + "_cast"))
    for cast in reversed(casts):
        graph.node.insert(0, cast)


def largest_difference(path, inputs, arguments, expected):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    output = session.run(None, {name: value.numpy() for name, value in zip(inputs, arguments)})[0]
    return float(np.abs(output - expected).max())


def export(kind, checkpoint, path):
    build, inputs, output, output_axes = KINDS[kind]
    model, arguments = build().eval(), example()[: len(inputs)]
    model.load_state_dict(torch.load(checkpoint))
    exported = full_precision(model, inputs, output, output_axes, arguments)
    graph = exported.graph
    tables = [weight for weight in float_weights(graph) if is_token_table(weight)]
    large = [weight for weight in float_weights(graph) if np.prod(weight.dims) >= SMALLEST_STORED_AS_FP16]
    for table in tables:
        rows_as_int8(graph, table)
    store_as_fp16(graph, [weight for weight in large if not is_token_table(weight)])
    onnx.checker.check_model(exported)
    onnx.save(exported, path)
    with torch.no_grad():
        expected = model(*arguments).numpy()
    difference = largest_difference(path, inputs, arguments, expected)
    print(f"{path}: {os.path.getsize(path)} bytes, at most {difference:.4f} from the checkpoint", flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    export(*sys.argv[1:])
