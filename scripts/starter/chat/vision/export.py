"""A vision checkpoint as GGUF: python -m vision.export CHECKPOINT OUTPUT"""

import sys

import gguf
import numpy as np
import torch

LICENCE = "mit"


def add_settings(writer, config):
    writer.add_type("mmproj")
    writer.add_name("inferd starter vision")
    writer.add_description("Vision encoder of the tiny chat model, trained from scratch on drawn pictures")
    writer.add_license(LICENCE)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_string("clip.projector_type", "janus_pro")
    writer.add_bool("clip.use_gelu", True)
    sizes = {
        "image_size": config["image"],
        "patch_size": config["patch"],
        "embedding_length": config["dim"],
        "feed_forward_length": config["ff"],
        "block_count": config["layers"],
        "attention.head_count": config["heads"],
        "projection_dim": config["out"],
    }
    for key, value in sizes.items():
        writer.add_uint32(f"clip.vision.{key}", value)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", config["eps"])
    writer.add_array("clip.vision.image_mean", [0.5] * 3)
    writer.add_array("clip.vision.image_std", [0.5] * 3)


def tensors(config, weights):
    """(GGUF name, tensor)"""
    yield "v.position_embd.weight", weights["position"]
    names = {"v.patch_embd": "patch", "v.post_ln": "norm", "mm.0": "project1", "mm.1": "project2"}
    parts = dict(attn_qkv="qkv", attn_out="out", ln1="norm1", ln2="norm2", ffn_up="up", ffn_down="down")
    for layer in range(config["layers"]):
        names |= {f"v.blk.{layer}.{name}": f"blocks.{layer}.{source}" for name, source in parts.items()}
    for name, source in names.items():
        weight = weights[f"{source}.weight"]
        if name == "v.patch_embd":
            weight = weight.view(config["dim"], 3, config["patch"], config["patch"])
        yield f"{name}.weight", weight
        yield f"{name}.bias", weights[f"{source}.bias"]


def export(checkpoint, output):
    writer = gguf.GGUFWriter(output, "clip")
    add_settings(writer, checkpoint["config"])
    for name, tensor in tensors(checkpoint["config"], checkpoint["model"]):
        # llama.cpp wants vectors, and the positions, in full precision.
        whole = tensor.ndim == 1 or name == "v.position_embd.weight"
        writer.add_tensor(name, np.ascontiguousarray(tensor.float().numpy(), np.float32 if whole else np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    export(torch.load(sys.argv[1], map_location="cpu"), sys.argv[2])
