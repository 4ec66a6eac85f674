"""Writes the tiny ONNX graphs of src/engines/speech/fixtures: what recognisers do in shape, without weights.

Each says the same tokens at the same times, whatever it hears, in the way of its kind.

usage: python make_speech.py FOLDER    (needs onnx and numpy)
"""

import base64
import sys

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

# Of a chunk of 30 s, at the largest number of frames a second.
FRAMES = 800
STATE = 4
INNER_AXES = {"inner_axes": np.array([1, 2], np.int64)}


def write(name, nodes, inputs, outputs, constants, metadata):
    initializers = [numpy_helper.from_array(np.array(value), key) for key, value in constants.items()]
    graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="")
    model.ir_version = 8
    for key, value in metadata.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, str(value)
    checker.check_model(model)
    save(model, f"{sys.argv[1]}/{name}.onnx")


def write_tokens(name, tokens):
    with open(f"{sys.argv[1]}/{name}-tokens.txt", "w", encoding="utf-8") as file:
        file.writelines(f"{token} {number}\n" for number, token in enumerate(tokens))


def floats(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def integers(name, *shape, size=64):
    kind = TensorProto.INT64 if size == 64 else TensorProto.INT32
    return helper.make_tensor_value_info(name, kind, shape)


node = helper.make_node


def script(start, end, into, source="script"):
    """Rows of logits: those of the script from one place to another. Constants: `script_constants`."""
    return [
        node("Range", [start, end, "one"], ["places"]),
        node("Gather", [source, "places"], ["said"]),
        node("OneHot", ["said", "size", "values"], [into], axis=-1),
    ]


def padded(said, silence):
    whole = np.full(FRAMES, silence, np.int64)
    whole[: len(said)] = said
    return whole


def script_constants(said, size, silence):
    return {
        "script": padded(said, silence),
        "size": np.int64(size),
        "values": np.array([0, 40], np.float32),
        "zero": np.int64(0),
        "one": np.int64(1),
        "two": np.int64(2),
        "first": np.array([0], np.int64),
        "nothing": np.float32(0),
    }


def count(tensor, axis, divisor, into):
    """How many frames there are: the tensor's size along an axis, divided."""
    nodes = [node("Shape", [tensor], ["shape"]), node("Gather", ["shape", axis], ["samples"])]
    return [*nodes, node("Div", ["samples", divisor], [into])]


def used(tensors, result, into, rows=None):
    """The result, which depends on the tensors in name only: what no node reads is dropped from a graph.

    It has as many rows as `rows`, one of the tensors, of three axes.
    """
    nodes, last = [], result
    for index, tensor in enumerate(tensors):
        following = into if index == len(tensors) - 1 else f"used_{index}"
        total = node("ReduceSum", [f"cast_{index}"], [f"sum_{index}"], keepdims=0)
        of_each_row = node("ReduceSum", [f"cast_{index}", "inner_axes"], [f"sum_{index}"], keepdims=1)
        nodes += [
            node("Cast", [tensor], [f"cast_{index}"], to=TensorProto.FLOAT),
            of_each_row if tensor == rows else total,
            node("Mul", [f"sum_{index}", "nothing"], [f"null_{index}"]),
            node("Add", [last, f"null_{index}"], [following]),
        ]
        last = following
    return nodes


def whisper():
    """Two sentences with their times; German, if it is asked. No outputs of attention, so no times of words.

    Says something else if it is asked to translate, which its cache remembers.
    """
    context, times = 64, 29
    language, end, hello, world, good, day, comma = 23, 20, 1, 2, 3, 4, 5
    at = lambda seconds: times + round(seconds / 0.02)  # noqa: E731
    said = [language, end, at(0), hello, world, at(1), at(1.2), good, day, comma, at(2), end]
    said_in_english = [language, end, at(0), good, world, at(1), end]
    metadata = {
        **{"model_type": "whisper-tiny", "n_mels": 80, "n_vocab": times + 1501, "n_text_ctx": context},
        **{"n_text_state": STATE, "n_text_layer": 1, "is_multilingual": 1, "sot_sequence": "21,22,25"},
        **{"all_language_tokens": "22,23", "all_language_codes": "en,de", "sot": 21, "eot": end, "blank_id": 0},
        **{"no_speech": 27, "transcribe": 25, "translate": 24, "no_timestamps": 28},
    }
    keys, values = floats("n_layer_cross_k", 1, "n", "t", STATE), floats("n_layer_cross_v", 1, "n", "t", STATE)
    write(
        "whisper-encoder",
        [
            node("ReduceMean", ["mel"], ["mean"], axes=[1], keepdims=1),
            node("Transpose", ["mean"], ["frames"], perm=[0, 2, 1]),
            node("Unsqueeze", ["frames", "first"], ["layer"]),
            node("Concat", ["layer"] * STATE, ["n_layer_cross_k"], axis=3),
            node("Identity", ["n_layer_cross_k"], ["n_layer_cross_v"]),
        ],
        [floats("mel", "n", 80, "t")],
        [keys, values],
        {"first": np.array([0], np.int64)},
        metadata,
    )
    caches = [f"in_n_layer_self_{letter}_cache" for letter in "kv"]
    write(
        "whisper-decoder",
        [
            node("Shape", ["tokens"], ["shape"]),
            node("Gather", ["shape", "one"], ["length"]),
            node("Squeeze", ["offset", "first"], ["start"]),
            node("Add", ["start", "length"], ["end"]),
            node("Equal", ["tokens", "translate"], ["are_translate"]),
            node("Cast", ["are_translate"], ["marks"], to=TensorProto.FLOAT),
            node("ReduceMax", ["marks"], ["mark"], keepdims=0),
            node("Add", [caches[0], "mark"], [caches[0].replace("in", "out", 1)]),
            node("Identity", [caches[1]], [caches[1].replace("in", "out", 1)]),
            node("ReduceMax", [caches[0].replace("in", "out", 1)], ["most"], keepdims=0),
            node("Greater", ["most", "nothing"], ["translates"]),
            node("Where", ["translates", "english", "script"], ["chosen"]),
            *script("start", "end", "rows", "chosen"),
            node("Unsqueeze", ["rows", "first"], ["logits_alone"]),
            *used(["n_layer_cross_k", "n_layer_cross_v"], "logits_alone", "logits"),
        ],
        [integers("tokens", "n", "l"), *[floats(cache, 1, "n", context, STATE) for cache in caches]]
        + [keys, values, integers("offset", 1)],
        [floats("logits", "n", "l", times + 1501)]
        + [floats(cache.replace("in", "out", 1), 1, "n", context, STATE) for cache in caches],
        {
            **script_constants(said, times + 1501, end),
            **{"translate": np.int64(24), "english": padded(said_in_english, end)},
        },
        {},
    )
    words = ["!", " hello", " world", " good", " day", ","]
    write_tokens("whisper", [base64.b64encode(word.encode()).decode() for word in words])


def sense_voice():
    """Marks of language, mood and event come first."""
    tokens = ["<unk>", "<s>", "</s>", "▁yes", "▁no", "你", "好", "<|en|>", "<|NEUTRAL|>", "<|Speech|>", "<|withitn|>", "."]
    said = [7, 8, 9, 10, 3, 3, 0, 0, 4, 0, 0, 0, 5, 0, 6, 0, 11]
    write(
        "sense-voice",
        [
            *count("x", "one", "one", "frames"),
            node("Add", ["frames", "marks"], ["rows"]),
            *script("zero", "rows", "said_rows"),
            node("Unsqueeze", ["said_rows", "first"], ["logits_alone"]),
            *used(["x", "x_length", "language", "text_norm"], "logits_alone", "logits", rows="x"),
        ],
        [floats("x", "n", "t", 560), *[integers(name, "n", size=32) for name in ("x_length", "language", "text_norm")]],
        [floats("logits", "n", "rows", len(tokens))],
        {**script_constants(said, len(tokens), 0), **INNER_AXES, "marks": np.int64(4)},
        {
            **{"model_type": "sense_voice_ctc", "vocab_size": len(tokens), "lfr_window_size": 7, "lfr_window_shift": 6},
            **{"normalize_samples": 0, "with_itn": 14, "without_itn": 15, "lang_auto": 0, "lang_zh": 3, "lang_en": 4},
            **{"lang_ja": 11, "lang_ko": 12, "lang_yue": 7, "neg_mean": ",".join("0" * 560)},
            "inv_stddev": ",".join("1" * 560),
        },
    )
    write_tokens("sense-voice", tokens)


NEMO_TOKENS = ["▁a", "▁cat", "s", "▁sat", "<blk>"]
NEMO_SAID = [4, 4, 0, 4, 1, 4, 2, 4, 4, 3]
NEMO = {"vocab_size": len(NEMO_TOKENS) - 1, "subsampling_factor": 8, "normalize_type": "per_feature"}


def nemo_ctc():
    write(
        "nemo-ctc",
        [
            *count("audio_signal", "two", "eight", "frames"),
            *script("zero", "frames", "said_rows"),
            node("Unsqueeze", ["said_rows", "first"], ["logits"]),
            node("LogSoftmax", ["logits"], ["probabilities"], axis=-1),
            *used(["audio_signal", "length"], "probabilities", "logprobs", rows="audio_signal"),
        ],
        [floats("audio_signal", "n", 80, "t"), integers("length", "n")],
        [floats("logprobs", "n", "frames", len(NEMO_TOKENS))],
        {**script_constants(NEMO_SAID, len(NEMO_TOKENS), 4), **INNER_AXES, "eight": np.int64(8)},
        {**NEMO, "model_type": "EncDecCTCModelBPE"},
    )
    write_tokens("nemo-ctc", NEMO_TOKENS)


def nemo_transducer():
    """A token-and-duration transducer: each token lasts one frame. The encoder knows what is said, the others pass it on."""
    tokens, durations = len(NEMO_TOKENS), 5
    write(
        "nemo-transducer-encoder",
        [
            *count("audio_signal", "two", "eight", "frames"),
            *script("zero", "frames", "said_rows"),
            node("Gather", ["lasting", "places"], ["lasts"]),
            node("OneHot", ["lasts", "durations", "values"], ["duration_rows"], axis=-1),
            node("Concat", ["said_rows", "duration_rows"], ["rows"], axis=1),
            node("Transpose", ["rows"], ["columns"], perm=[1, 0]),
            node("Unsqueeze", ["columns", "first"], ["outputs_alone"]),
            *used(["audio_signal"], "outputs_alone", "outputs", rows="audio_signal"),
            node("Div", ["length", "eight"], ["encoded_lengths"]),
        ],
        [floats("audio_signal", "n", 80, "t"), integers("length", "n")],
        [floats("outputs", "n", tokens + durations, "frames"), integers("encoded_lengths", "n")],
        {
            **script_constants(NEMO_SAID, tokens, 4),
            **INNER_AXES,
            **{"eight": np.int64(8), "lasting": np.ones(FRAMES, np.int64), "durations": np.int64(durations)},
        },
        {
            **{**NEMO, "pred_rnn_layers": 1, "pred_hidden": STATE, "model_type": "EncDecRNNTBPEModel"},
            **{"feat_dim": 80, "url": "tdt"},
        },
    )
    write(
        "nemo-transducer-decoder",
        [
            node("Cast", ["targets"], ["numbers"], to=TensorProto.FLOAT),
            node("Unsqueeze", ["numbers", "second"], ["number"]),
            node("Concat", ["number"] * STATE, ["outputs"], axis=1),
            node("Identity", ["target_length"], ["prednet_lengths"]),
            node("Identity", ["h"], ["next_h"]),
            node("Identity", ["c"], ["next_c"]),
        ],
        [integers("targets", "n", "l", size=32), integers("target_length", "n", size=32)]
        + [floats(name, 1, "n", STATE) for name in "hc"],
        [floats("outputs", "n", STATE, "l"), integers("prednet_lengths", "n", size=32)]
        + [floats(f"next_{name}", 1, "n", STATE) for name in "hc"],
        {"second": np.array([1], np.int64)},
        {},
    )
    write(
        "nemo-transducer-joiner",
        [
            node("Transpose", ["encoder_outputs"], ["frames"], perm=[0, 2, 1]),
            node("Unsqueeze", ["frames", "third"], ["outputs_alone"]),
            *used(["decoder_outputs"], "outputs_alone", "outputs"),
        ],
        [floats("encoder_outputs", "n", tokens + durations, "t"), floats("decoder_outputs", "n", STATE, "u")],
        [floats("outputs", "n", "t", "u", tokens + durations)],
        {"third": np.array([2], np.int64), "nothing": np.float32(0)},
        {},
    )
    write_tokens("nemo-transducer", NEMO_TOKENS)


def transducer():
    """Its last word could nearly as well be "sad"."""
    tokens = ["<blk>", "▁a", "▁cat", "s", "▁sat", "▁sad"]
    nearly = np.eye(len(tokens), dtype=np.float32)
    nearly[4, 5] = 79 / 80
    said = [0, 0, 1, 0, 2, 0, 3, 0, 0, 4]
    write(
        "transducer-encoder",
        [
            *count("x", "one", "four", "frames"),
            *script("zero", "frames", "said_rows"),
            node("MatMul", ["said_rows", "nearly"], ["scored_rows"]),
            node("Unsqueeze", ["scored_rows", "first"], ["out_alone"]),
            *used(["x"], "out_alone", "encoder_out", rows="x"),
            node("Div", ["x_lens", "four"], ["encoder_out_lens"]),
        ],
        [floats("x", "n", "t", 80), integers("x_lens", "n")],
        [floats("encoder_out", "n", "frames", len(tokens)), integers("encoder_out_lens", "n")],
        {**script_constants(said, len(tokens), 0), **INNER_AXES, "four": np.int64(4), "nearly": nearly},
        {"model_type": "zipformer2"},
    )
    write(
        "transducer-decoder",
        [
            node("Cast", ["y"], ["numbers"], to=TensorProto.FLOAT),
            node("ReduceSum", ["numbers", "second"], ["decoder_out"], keepdims=1),
        ],
        [integers("y", "n", 2)],
        [floats("decoder_out", "n", 1)],
        {"second": np.array([1], np.int64)},
        {"vocab_size": len(tokens), "context_size": 2},
    )
    write(
        "transducer-joiner",
        used(["decoder_out"], "encoder_out", "logit"),
        [floats("encoder_out", "n", len(tokens)), floats("decoder_out", "n", 1)],
        [floats("logit", "n", len(tokens))],
        {"nothing": np.float32(0)},
        {"joiner_dim": len(tokens)},
    )
    write_tokens("transducer", tokens)


whisper()
sense_voice()
nemo_ctc()
nemo_transducer()
transducer()
