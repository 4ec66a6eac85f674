/** Our addon for runs of several chunks, which sherpa-onnx's library computes and its own addon does not offer. */
import { dirname, join } from 'node:path'
import { openSherpa } from '../open-sherpa.ts'

interface TogetherBinding {
  /** Throws where the library at the path is not loaded, or lacks a function. */
  open(path: string): void
  /** Feeds 16 kHz samples to each stream and computes all in one run, on its own thread. Rejects with the library's error. */
  recognizeTogether(recognizer: object, streams: readonly object[], samples: readonly Float32Array[]): Promise<string[]>
}

/** Returns the library's JSON about each stream. Handles come from sherpa-onnx's addon; streams are new. */
export type RecognizeTogether = TogetherBinding['recognizeTogether']

/** Opens the addon at a path. Throws if it is missing, or sherpa-onnx's library lacks a function. */
export function openTogether(addon: string, sherpaOnnx: string): RecognizeTogether {
  const binding = openSherpa<TogetherBinding>(addon)
  binding.open(join(dirname(sherpaOnnx), 'libsherpa-onnx-c-api.so'))
  return binding.recognizeTogether
}
