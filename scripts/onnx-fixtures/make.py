"""Writes the tiny ONNX graphs of src/engines/onnx/fixtures: what real models do in shape, without weights.

usage: python make.py FOLDER    (needs onnx and numpy)
"""

import sys

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save


def write(name, nodes, inputs, outputs, constants):
    initializers = [numpy_helper.from_array(value, key) for key, value in constants.items()]
    graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="")
    model.ir_version = 8
    checker.check_model(model)
    save(model, f"{sys.argv[1]}/{name}.onnx")


def text_input(name, element_type):
    return helper.make_tensor_value_info(name, element_type, ["batch", "length"])


def echo_next_token():
    """The likeliest next token is the last one said: a logit of 3 for it and 0 for all others."""
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "length", 16000])
    write(
        "echo-next-token",
        [helper.make_node("OneHot", ["input_ids", "depth", "values"], ["logits"], axis=-1)],
        [text_input("input_ids", TensorProto.INT64)],
        [logits],
        {"depth": np.array(16000, np.int64), "values": np.array([0, 3], np.float32)},
    )


def token_facts():
    """Each token's vector: its id / 16384, its position and its mask. 32-bit inputs, half-precision output."""
    names = ["input_ids", "position_ids", "attention_mask"]
    nodes = []
    for name in names:
        nodes.append(helper.make_node("Cast", [name], [f"{name}_half"], to=TensorProto.FLOAT16))
        nodes.append(helper.make_node("Unsqueeze", [f"{name}_half", "axis"], [f"{name}_column"]))
    nodes.append(helper.make_node("Mul", ["input_ids_column", "scale"], ["scaled_ids"]))
    columns = ["scaled_ids", "position_ids_column", "attention_mask_column"]
    nodes.append(helper.make_node("Concat", columns, ["tokens"], axis=-1))
    write(
        "token-facts",
        nodes,
        [text_input(name, TensorProto.INT32) for name in names],
        [helper.make_tensor_value_info("tokens", TensorProto.FLOAT16, ["batch", "length", 3])],
        {"axis": np.array([2], np.int64), "scale": np.array(1 / 16384, np.float16)},
    )


echo_next_token()
token_facts()
