"""A checkpoint as GGUF: python export.py CHECKPOINT TOKENIZER OUTPUT [f16|q8_0]"""

import json
import sys
from pathlib import Path

import gguf
import numpy as np
import torch

from tokenizer import CONTROL_TOKENS, MARKUP_TOKENS

CONTEXT_LENGTH = 32768


def add_settings(writer, config, quantization):
    writer.add_type("model")
    writer.add_name("inferd starter chat")
    writer.add_description("Tiny chat model trained from scratch on synthetic text, made to try inferd out")
    writer.add_size_label("3M")
    writer.add_license("mit")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16 if quantization == "f16" else gguf.LlamaFileType.MOSTLY_Q8_0)
    writer.add_context_length(CONTEXT_LENGTH)
    writer.add_embedding_length(config["dim"])
    writer.add_block_count(config["layers"])
    writer.add_feed_forward_length(config["ff"])
    writer.add_head_count(config["heads"])
    writer.add_head_count_kv(config["kv_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["eps"])
    writer.add_rope_freq_base(config["rope_base"])
    writer.add_vocab_size(config["vocab"])


def add_tokenizer(writer, path, size):
    data = json.loads(Path(path).read_text())
    ids = dict(data["model"]["vocab"]) | {token["content"]: token["id"] for token in data["added_tokens"]}
    tokens = sorted(ids, key=ids.get)
    assert len(tokens) == size
    kinds = {token: gguf.TokenType.CONTROL for token in CONTROL_TOKENS} | {
        token: gguf.TokenType.USER_DEFINED for token in MARKUP_TOKENS
    }
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([kinds.get(token, gguf.TokenType.NORMAL) for token in tokens])
    writer.add_token_merges(
        [merge if isinstance(merge, str) else " ".join(merge) for merge in data["model"]["merges"]]
    )
    writer.add_eos_token_id(ids["<|im_end|>"])
    writer.add_eot_token_id(ids["<|im_end|>"])
    writer.add_pad_token_id(ids["<|endoftext|>"])
    writer.add_bos_token_id(ids["<|endoftext|>"])
    writer.add_add_bos_token(False)
    writer.add_chat_template((Path(__file__).parent / "template.jinja").read_text())


def tensors(config, weights):
    """(GGUF name, tensor): the fused matrices are split again. No output matrix: embeddings are tied."""
    query, key = config["heads"] * config["head_dim"], config["kv_heads"] * config["head_dim"]
    yield "token_embd", weights["embedding.weight"]
    yield "output_norm", weights["norm"]
    for layer in range(config["layers"]):
        part = lambda name: weights[f"blocks.{layer}.{name}"]
        names = "attn_q", "attn_k", "attn_v", "ffn_gate", "ffn_up"
        split = *part("qkv.weight").split((query, key, key)), *part("gate_up.weight").split(config["ff"])
        whole = {
            "attn_norm": "attention_norm",
            "attn_q_norm": "query_norm",
            "attn_k_norm": "key_norm",
            "attn_output": "out.weight",
            "ffn_norm": "feed_norm",
            "ffn_down": "down.weight",
        }
        for name, tensor in [*zip(names, split), *((name, part(source)) for name, source in whole.items())]:
            yield f"blk.{layer}.{name}", tensor


def export(checkpoint, tokenizer, output, quantization="q8_0"):
    config = checkpoint["config"]
    writer = gguf.GGUFWriter(output, "qwen3")
    add_settings(writer, config, quantization)
    add_tokenizer(writer, tokenizer, config["vocab"])
    for name, tensor in tensors(config, checkpoint["model"]):
        data = np.ascontiguousarray(tensor.numpy(), np.float32)
        if data.ndim == 1:
            writer.add_tensor(name + ".weight", data)
        elif quantization == "f16":
            writer.add_tensor(name + ".weight", data.astype(np.float16))
        else:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name + ".weight", gguf.quants.quantize(data, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    path, tokenizer, output, *rest = sys.argv[1:]
    export(torch.load(path, map_location="cpu"), tokenizer, output, *rest)
