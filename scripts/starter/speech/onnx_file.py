"""ONNX files: export, weights as bytes with a scale for each row, metadata."""

import os

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper

OPSET = 17
SMALLEST = 2048  # weights; smaller tensors stay as they are


def export(model, arguments, path, inputs, outputs, dynamic, metadata=None, exact=()):
    """Writes a file; tensors whose names contain one of `exact` keep their precision."""
    model.eval()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    options = dict(input_names=inputs, output_names=outputs, dynamic_axes=dynamic, opset_version=OPSET, dynamo=False)
    torch.onnx.export(model, arguments, path, **options)
    graph_file = onnx.load(path)
    _constants_to_weights(graph_file.graph)
    _quantise(graph_file.graph, exact)
    for key, value in (metadata or {}).items():
        graph_file.metadata_props.add(key=key, value=str(value))
    onnx.checker.check_model(graph_file)
    onnx.save(graph_file, path)
    print(f"{path}: {os.path.getsize(path) / 1e6:.2f} MB")


def _constants_to_weights(graph):
    for node in list(graph.node):
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            tensor = node.attribute[0].t
            if np.prod(tensor.dims) > SMALLEST:
                tensor.name = node.output[0]
                graph.initializer.append(tensor)
                graph.node.remove(node)


def _as_bytes(weights, axis):
    """-> squared error, bytes, scales"""
    others = tuple(other for other in range(weights.ndim) if other != axis)
    scales = np.maximum(np.abs(weights).max(axis=others), 1e-8) / 127
    shape = [-1 if each == axis else 1 for each in range(weights.ndim)]
    rounded = np.clip(np.round(weights / scales.reshape(shape)), -127, 127)
    return ((rounded * scales.reshape(shape) - weights) ** 2).sum(), rounded.astype(np.int8), scales.astype(np.float32)


def _quantise(graph, exact):
    kept, nodes = [], []
    for tensor in graph.initializer:
        weights = numpy_helper.to_array(tensor)
        large = weights.dtype == np.float32 and weights.ndim >= 2 and weights.size >= SMALLEST
        if not large or any(part in tensor.name for part in exact):
            kept.append(tensor)
            continue
        axes = [axis for axis in range(weights.ndim) if weights.shape[axis] >= 4]
        axis = min(axes, key=lambda each: _as_bytes(weights, each)[0])
        _, rounded, scales = _as_bytes(weights, axis)
        names = [f"{tensor.name}_{part}" for part in ("bytes", "scales", "zeros")]
        for name, array in zip(names, (rounded, scales, np.zeros(scales.shape, np.int8))):
            kept.append(numpy_helper.from_array(array, name))
        nodes.append(helper.make_node("DequantizeLinear", names, [tensor.name], axis=axis))
    del graph.initializer[:]
    graph.initializer.extend(kept)
    rest = list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes + rest)


def write_tokens(path, tokens):
    with open(path, "w", encoding="utf8") as file:
        file.writelines(f"{token} {number}\n" for number, token in enumerate(tokens))
