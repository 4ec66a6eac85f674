#!/bin/sh
# Regenerates models/starter/starter-chat-q8_0.gguf and starter-chat-mmproj-f16.gguf from nothing.
#
#   ./run.sh [WORK_FOLDER]
#
# WORK_FOLDER (default ./work) receives the Python environment, the tokenizer, checkpoints and logs.
# An interrupted stage goes on from its last checkpoint when the script is started again.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
models="$here/../../../models/starter"
STARTER_WORK=$(mkdir -p "${1:-$here/work}" && cd "${1:-$here/work}" && pwd)
export STARTER_WORK
export TOKENIZERS_PARALLELISM=false
export TORCHINDUCTOR_CACHE_DIR="$STARTER_WORK/compiled"
# Large buffers are kept instead of being returned to the system at every step.
export MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=4000000000 MALLOC_TOP_PAD_=268435456

python="$STARTER_WORK/venv/bin/python"
if [ ! -x "$python" ]; then
    python3 -m venv "$STARTER_WORK/venv"
    "$python" -m pip install -r "$here/requirements.txt"
fi

# Two processes of one thread, which share their gradients.
stage() {
    nice -n 10 "$python" train.py "$1" 0 2 > "$STARTER_WORK/$1.0.log" 2>&1 &
    other=$!
    nice -n 10 "$python" train.py "$1" 1 2 > "$STARTER_WORK/$1.1.log" 2>&1
    wait "$other"
    tail -n 1 "$STARTER_WORK/$1.0.log"
}

trap 'kill $(jobs -p) 2> /dev/null || true' EXIT

cd "$here"
"$python" check_template.py
"$python" -m vision.drawing "$STARTER_WORK/pictures.png"
[ -f "$STARTER_WORK/tokenizer.json" ] || "$python" tokenizer.py "$STARTER_WORK/tokenizer.json"

# Numbers of pictures count from the beginning. The vision model learns captions beside the first stage, and then the
# language model's embeddings of them; it goes on beside the second stage, which sees what it has learned by then.
see() {
    nice -n 10 "$python" -m vision.train "$@" >> "$STARTER_WORK/vision.log" 2>&1
}

see 160000 &
vision=$!
stage first
wait "$vision"
see 220000 "$STARTER_WORK/first.pt"
see 400000 "$STARTER_WORK/first.pt" &
vision=$!
stage second
wait "$vision"
tail -n 1 "$STARTER_WORK/vision.log"

"$python" export.py "$STARTER_WORK/second.pt" "$STARTER_WORK/tokenizer.json" "$models/starter-chat-q8_0.gguf"
"$python" -m vision.export "$STARTER_WORK/vision-aligned.pt" "$models/starter-chat-mmproj-f16.gguf"
