#!/bin/sh
# Regenerates models/starter/starter-embed.onnx, its tokenizer and models/starter/starter-rerank.onnx from nothing.
#
#   ./run.sh [WORK_FOLDER]
#
# WORK_FOLDER (default ./work) receives the Python environment, the texts, checkpoints and logs. What is there already
# is not made again, and an interrupted stage goes on from its last checkpoint.
#
#   STARTER_STAGE=bag      leaves the encoder's layers untrained (default: layers, as released)
#   STARTER_RUST           HTML documentation of Rust (default: that of the installed toolchain)
#   STARTER_NODE_MODULES   globally installed npm packages (default: what `npm root -g` says)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mkdir -p "${1:-$here/work}" && cd "${1:-$here/work}" && pwd)
models="$here/../../../models/starter"
stage=${STARTER_STAGE:-layers}
# One thread: sums are taken in the same order every time.
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 RAYON_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false

python="$work/venv/bin/python"
if [ ! -x "$python" ]; then
    python3 -m venv "$work/venv"
    "$python" -m pip install -r "$here/requirements.txt"
fi

# Unpacked, not installed: perlfaq measures, and the word list rounds off the vocabulary.
if [ ! -d "$work/packages" ]; then
    mkdir -p "$work/download"
    (cd "$work/download" && apt-get download perl-doc wamerican-small)
    for package in "$work"/download/*.deb; do dpkg-deb -x "$package" "$work/packages.part"; done
    mv "$work/packages.part" "$work/packages"
fi

cd "$here"
if [ ! -f "$work/counts.json" ]; then
    "$python" collect.py "$work" --perlfaq "$(dirname "$work"/packages/usr/share/perl/*/pod/perlfaq1.pod)" \
        --rust "${STARTER_RUST:-$(rustc --print sysroot)/share/doc/rust/html}" \
        --node-modules "${STARTER_NODE_MODULES:-$(npm root -g)}"
fi
[ -f "$work/tokenizer.json" ] ||
    "$python" tokenizer.py "$work" --words "$work/packages/usr/share/dict/american-english-small"
[ -f "$work/warm.pt" ] || "$python" warm_start.py "$work"

nice -n 10 "$python" train_embedder.py bag "$work"
checkpoint="$work/bag.step3000.pt"
if [ "$stage" = layers ]; then
    nice -n 10 "$python" train_embedder.py layers "$work"
    checkpoint="$work/layers.step2500.pt"
fi
[ -f "$work/reranker.pt" ] || nice -n 10 "$python" train_reranker.py "$work"

cp "$work/tokenizer.json" "$models/starter-embed-tokenizer.json"
"$python" export.py embedder "$checkpoint" "$models/starter-embed.onnx"
"$python" export.py reranker "$work/reranker.pt" "$models/starter-rerank.onnx"
