/** Reads the samples of a WAV file from pieces cut anywhere. */
import { malformedAnswer, type UpstreamFailure } from '../http/failure.ts'

export interface SampleForm {
  readonly sampleRateHz: number
  readonly channels: number
}

const headerBytesLimit = 64 * 1024
const pcm = 1
const extensible = 0xfffe
/** Least size that means unknown: servers that write the header before the audio use this or more. */
const unknownSizeFrom = 0x7fff_0000

/** Reads up to the first sample. All further pieces are 16-bit samples. Throws UpstreamFailure for other files. */
export async function openWav(
  pieces: AsyncGenerator<Uint8Array>,
): Promise<SampleForm & { readonly samples: AsyncGenerator<Uint8Array> }> {
  let head = Buffer.alloc(0)
  let found = findSamples(head)
  while (found === undefined) {
    const { done, value } = await pieces.next()
    if (done === true || head.length > headerBytesLimit) throw notWav()
    head = Buffer.concat([head, value])
    found = findSamples(head)
  }
  const { at, bytes, form } = found
  return { ...form, samples: samplesOf(head.subarray(at), pieces, bytes) }
}

/** Returns the offset of the samples; undefined if these bytes end before it. */
function findSamples(head: Buffer) {
  if (head.length < 12) return undefined
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') throw notWav()
  let form: SampleForm | undefined
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.toString('latin1', at, at + 4)
    const bytes = head.readUInt32LE(at + 4)
    const begin = at + 8
    if (name === 'data') {
      if (form === undefined) throw notWav()
      const isKnown = bytes > 0 && bytes < unknownSizeFrom
      return { at: begin, bytes: isKnown ? bytes : Number.POSITIVE_INFINITY, form }
    }
    if (begin + bytes > head.length) return undefined
    if (name === 'fmt ') form = readForm(head.subarray(begin, begin + bytes))
    at = begin + bytes + (bytes % 2)
  }
  return undefined
}

function readForm(chunk: Buffer): SampleForm {
  if (chunk.length < 16) throw notWav()
  const [encoding, channels, sampleRateHz, bits] = [
    chunk.readUInt16LE(0),
    chunk.readUInt16LE(2),
    chunk.readUInt32LE(4),
    chunk.readUInt16LE(14),
  ]
  const isPcm = encoding === pcm || encoding === extensible
  if (!isPcm || bits !== 16 || channels < 1 || channels > 2 || sampleRateHz < 4_000 || sampleRateHz > 192_000) {
    throw notWav()
  }
  return { sampleRateHz, channels }
}

async function* samplesOf(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  let left = bytes
  const take = (piece: Uint8Array) => {
    const taken = piece.subarray(0, left)
    left -= taken.length
    return taken
  }
  if (first.length > 0) yield take(first)
  // Also reads everything behind the samples, so that the connection can be reused.
  for await (const piece of rest) if (left > 0) yield take(piece)
}

function notWav(): UpstreamFailure {
  return malformedAnswer('no WAV file of 16-bit samples')
}
