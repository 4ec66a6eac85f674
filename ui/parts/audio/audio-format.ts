/** Speech formats in the browser. */
import type { texts } from '../../texts/texts.ts'

export type AudioFormat = keyof typeof texts.speak.formats

/** Media types as browsers name them. Raw samples are played with a WAV header. */
const types: Readonly<Record<AudioFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg; codecs="opus"',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/wav',
}

/** Returns the type under which a browser can stream the format; undefined if it needs the whole file. */
export function streamedType(format: AudioFormat): string | undefined {
  if (format === 'wav' || format === 'pcm') return undefined
  return globalThis.MediaSource?.isTypeSupported(types[format]) === true ? types[format] : undefined
}

export function isPlayable(format: AudioFormat): boolean {
  return document.createElement('audio').canPlayType(types[format]) !== ''
}

/** Returns the whole speech as a blob that the browser can play. */
export function playableBlob(format: AudioFormat, pieces: readonly BlobPart[], sizeBytes: number): Blob {
  const header = format === 'pcm' ? [wavHeader(sizeBytes)] : []
  return new Blob([...header, ...pieces], { type: types[format] })
}

/** Rate of the server's raw samples, which are 16-bit mono. */
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
