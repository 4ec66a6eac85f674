/** What browsers make of the formats of speech. */
import type { texts } from '../../texts/texts.ts'

export type AudioFormat = keyof typeof texts.speak.formats

/** Types as browsers know them. Bare samples are played with the header of a WAV file. */
const types: Readonly<Record<AudioFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg; codecs="opus"',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/wav',
}

/** The type under which a browser plays the format piece by piece; undefined where it has to be whole. */
export function streamedType(format: AudioFormat): string | undefined {
  if (format === 'wav' || format === 'pcm') return undefined
  return globalThis.MediaSource?.isTypeSupported(types[format]) === true ? types[format] : undefined
}

export function isPlayable(format: AudioFormat): boolean {
  return document.createElement('audio').canPlayType(types[format]) !== ''
}

/** The whole speech as a browser plays it. */
export function playableBlob(format: AudioFormat, pieces: readonly BlobPart[], sizeBytes: number): Blob {
  const header = format === 'pcm' ? [wavHeader(sizeBytes)] : []
  return new Blob([...header, ...pieces], { type: types[format] })
}

/** Of samples as the server makes them: 16 bits, one channel, 24 kHz. */
const sampleRateHz = 24_000
const headerBytes = 44

export function wavHeader(sizeBytes: number): ArrayBuffer {
  const header = new DataView(new ArrayBuffer(headerBytes))
  const name = (at: number, text: string) => {
    for (const [index, letter] of [...text].entries()) header.setUint8(at + index, letter.charCodeAt(0))
  }
  name(0, 'RIFF')
  header.setUint32(4, headerBytes - 8 + sizeBytes, true)
  name(8, 'WAVEfmt ')
  header.setUint32(16, 16, true)
  header.setUint16(20, 1, true)
  header.setUint16(22, 1, true)
  header.setUint32(24, sampleRateHz, true)
  header.setUint32(28, sampleRateHz * 2, true)
  header.setUint16(32, 2, true)
  header.setUint16(34, 16, true)
  name(36, 'data')
  header.setUint32(40, sizeBytes, true)
  return header.buffer
}
