import { audioSampleRateHz } from '../../core/speech.ts'
import { type FileBytes, latinText } from './file-bytes.ts'
import type { IdentifiedAudio } from './identify-audio.ts'

/** Range of a file whose bytes are samples in the engines' format. */
export interface PlainSamples {
  readonly startByte: number
  readonly endByte: number
}

/** Most chunks that are read. Real files have some dozen. */
const chunkLimit = 50
const wholeNumbers = 1
const bytesPerSample = 2

/**
 * Returns the samples of a WAV file that needs no decoding: one channel, 16 bits, the engines' sample rate. Undefined
 * for other files, and for unusual chunks, which decoders handle better.
 */
export function plainSamples(file: FileBytes, { container, startByte }: IdentifiedAudio): PlainSamples | undefined {
  if (container !== 'wav' || latinText(file.read(startByte, 4), 0, 4) !== 'RIFF') return undefined
  let isPlain = false
  let found: PlainSamples | undefined
  let offset = startByte + 12
  for (let chunk = 0; chunk < chunkLimit && offset < file.sizeBytes; chunk++) {
    const head = file.read(offset, 8)
    if (head.byteLength < 8) return undefined
    const [name, size] = [latinText(head, 0, 4), head.getUint32(4, true)]
    const content = offset + 8
    if (!/^[\w ]{4}$/.test(name) || content + size > file.sizeBytes) return undefined
    if (name === 'fmt ') {
      if (found !== undefined || isPlain || !isPlainFormat(file.read(content, 16))) return undefined
      isPlain = true
    } else if (name === 'data') {
      if (found !== undefined || !isPlain || size === 0 || size % bytesPerSample !== 0) return undefined
      found = { startByte: content, endByte: content + size }
    }
    offset = content + size + (size % 2)
  }
  return offset >= file.sizeBytes ? found : undefined
}

function isPlainFormat(format: DataView): boolean {
  if (format.byteLength < 16) return false
  const [kind, channels, bits] = [0, 2, 14].map((at) => format.getUint16(at, true))
  const [sampleRateHz, bytesPerSecond] = [4, 8].map((at) => format.getUint32(at, true))
  const isWhole = kind === wholeNumbers && channels === 1 && bits === 8 * bytesPerSample
  return isWhole && sampleRateHz === audioSampleRateHz && bytesPerSecond === audioSampleRateHz * bytesPerSample
}

const pieceBytes = 256 * 1024

/**
 * Yields the samples of a file in pieces. Throws the system's error if the file cannot be read, and the signal's
 * reason.
 */
export async function* readPlainSamples(
  path: string,
  { startByte, endByte }: PlainSamples,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const file = Bun.file(path)
  for (let at = startByte; at < endByte; at += pieceBytes) {
    signal.throwIfAborted()
    yield await file.slice(at, Math.min(endByte, at + pieceBytes)).bytes()
  }
}
