#!/bin/sh
# Regenerates the speech models of models/starter/ from nothing.
#
#   ./run.sh [WORK_FOLDER]
#
# WORK_FOLDER (default ./work) receives the Python environment, audio features, checkpoints and logs. What is there
# already is not made again, and an interrupted training of the transcription goes on from its last checkpoint.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
STARTER_WORK=$(mkdir -p "${1:-$here/work}" && cd "${1:-$here/work}" && pwd)
export STARTER_WORK
models="$here/../../../models/starter"
# One thread a process; large buffers are kept instead of being returned to the system at every step.
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export MALLOC_MMAP_THRESHOLD_=8589934592 MALLOC_TRIM_THRESHOLD_=17179869184 MALLOC_TOP_PAD_=134217728
processes=$(nproc)

python="$STARTER_WORK/venv/bin/python"
if [ ! -x "$python" ]; then
    python3 -m venv "$STARTER_WORK/venv"
    "$python" -m pip install -r "$here/requirements.txt"
fi
cd "$here"

run() { # MODULE ARGUMENTS...: with a log
    nice -n 10 "$python" -m "$@" > "$STARTER_WORK/$1.log" 2>&1
    tail -n 1 "$STARTER_WORK/$1.log"
}
without() { # PATH MODULE ARGUMENTS...: unless the file is there
    made="$STARTER_WORK/$1"
    shift
    [ -f "$made" ] || run "$@"
}

without tts/speech.pickle tts.generate "$processes"
without tts/pronunciation.pt tts.pronunciation 3800
without tts/acoustic.pt tts.acoustic 1650
run tts.export "$models/starter-tts.onnx" "$models/starter-tts-tokens.txt"

run stt.generate 24 "$processes"
run stt.own_speech 6 "$models/starter-tts.onnx"
run stt.train 13000
run stt.export "$models/starter-stt.onnx" "$models/starter-stt-tokens.txt"

without speakers/held-out.pickle speakers "$processes"
without embedding/model.pt embedding.train 3000
run embedding.export "$models/starter-speaker-embedding.onnx"

without segmentation/training.npz segmentation.generate 3000
without segmentation/model.pt segmentation.train 4000
run segmentation.export "$models/starter-segmentation.onnx"

without vad/model.pt vad.train 260 750
run vad.export "$models/starter-vad.onnx"

"$python" -m evaluate "$models"
