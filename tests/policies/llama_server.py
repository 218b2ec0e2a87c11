"""llama.cpp's own server from the package xllamacpp with a tiny random model, in a process of its own, on loopback.

python llama_server.py MODEL SLOTS key=value…    writes the model if it is not there, prints the address, serves
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

BYTES = 256
WIDTH, LAYERS, HEADS, KV_HEADS, FORWARD, CONTEXT = 32, 1, 2, 1, 32, 8192


def write_model(path: Path) -> None:
    """A llama model of one layer with random weights. A token is a byte; its text does not matter here."""
    import gguf
    import numpy

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(BYTES + 1)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([*(chr(0x100 + byte) for byte in range(BYTES)), "<eos>"])
    writer.add_token_types([gguf.TokenType.NORMAL] * BYTES + [gguf.TokenType.CONTROL])
    writer.add_token_merges([f"{chr(0x100)} {chr(0x101)}"])
    writer.add_bos_token_id(BYTES)
    writer.add_eos_token_id(BYTES)
    writer.add_add_bos_token(False)
    random = numpy.random.default_rng(0)
    shared = KV_HEADS * WIDTH // HEADS
    layer = {"attn_q": (WIDTH, WIDTH), "attn_k": (shared, WIDTH), "attn_v": (shared, WIDTH)}
    layer |= {"attn_output": (WIDTH, WIDTH), "ffn_gate": (FORWARD, WIDTH), "ffn_up": (FORWARD, WIDTH)}
    layer |= {"ffn_down": (WIDTH, FORWARD)}
    matrices = {f"blk.{number}.{name}": shape for number in range(LAYERS) for name, shape in layer.items()}
    matrices |= {"token_embd": (BYTES + 1, WIDTH), "output": (BYTES + 1, WIDTH)}
    for name, shape in matrices.items():
        writer.add_tensor(f"{name}.weight", random.normal(0, 0.05, shape).astype(numpy.float32))
    norms = [f"blk.{number}.{name}" for number in range(LAYERS) for name in ("attn_norm", "ffn_norm")]
    for name in (*norms, "output_norm"):
        writer.add_tensor(f"{name}.weight", numpy.ones(WIDTH, numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main(model: str, slots: str, *options: str) -> None:
    import xllamacpp

    if not Path(model).exists():
        write_model(Path(model))
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = int(slots)
    parameters.fit_params = False
    parameters.cpuparams.n_threads = 1
    parameters.verbosity = 0
    parameters.warmup = False
    for option in options:
        name, _, value = option.partition("=")
        setattr(parameters, name, type(getattr(parameters, name))(int(value)))
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()  # until whoever started this goes
    os._exit(0)  # the server's threads outlive an ordinary exit


if __name__ == "__main__":
    main(*sys.argv[1:])
