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

vision= other=
# No process outlives this one.
trap 'kill $vision $other 2> /dev/null || true' EXIT

# Two processes of one thread, which share their gradients.
stage() {
    nice -n 10 "$python" train.py "$1" 0 2 >> "$STARTER_WORK/$1.0.log" 2>&1 &
    other=$!
    nice -n 10 "$python" train.py "$1" 1 2 >> "$STARTER_WORK/$1.1.log" 2>&1
    wait "$other"
    other=
    tail -n 1 "$STARTER_WORK/$1.0.log"
}

# Trains the vision model until it has seen so many pictures, counted from the beginning.
see() {
    nice -n 10 "$python" -m vision.train "$@" >> "$STARTER_WORK/vision.log" 2>&1 &
    vision=$!
}

cd "$here"
"$python" check_template.py
# What is missing is noticed now and not hours later.
"$python" -c 'import train; from vision.drawing import FONTS, font; [font(path, 9) for path in FONTS]'
[ -f "$STARTER_WORK/tokenizer.json" ] || "$python" tokenizer.py "$STARTER_WORK/tokenizer.json"

# The vision model learns captions beside the first stage, and then the language model's embeddings of them. It goes on
# beside the second stage, which sees what it has learned by then; one that is started again sees more.
see 160000
stage first
wait "$vision"
see 220000 "$STARTER_WORK/first.pt"
wait "$vision"
see 400000 "$STARTER_WORK/first.pt"
stage second
wait "$vision"
vision=
tail -n 1 "$STARTER_WORK/vision.log"

"$python" export.py "$STARTER_WORK/second.pt" "$STARTER_WORK/tokenizer.json" "$models/starter-chat-q8_0.gguf"
"$python" -m vision.export "$STARTER_WORK/vision-aligned.pt" "$models/starter-chat-mmproj-f16.gguf"
