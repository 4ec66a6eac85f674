import { spokenSampleRateHz } from '../../core/speech.ts'

const sampleBytes = 2
const headerBytes = 44
/** What players take for "until the end". */
const unknownSize = 0xffff_ffff

/** The header of a WAV file with this many bytes of samples behind it; undefined: their number is not known. */
export function wavHeader(dataBytes: number | undefined): Uint8Array {
  const header = new DataView(new ArrayBuffer(headerBytes))
  const writeName = (offset: number, name: string) => {
    for (const [index, letter] of [...name].entries()) header.setUint8(offset + index, letter.charCodeAt(0))
  }
  writeName(0, 'RIFF')
  header.setUint32(4, dataBytes === undefined ? unknownSize : headerBytes - 8 + dataBytes, true)
  writeName(8, 'WAVEfmt ')
  header.setUint32(16, 16, true)
  header.setUint16(20, 1, true) // PCM
  header.setUint16(22, 1, true)
  header.setUint32(24, spokenSampleRateHz, true)
  header.setUint32(28, spokenSampleRateHz * sampleBytes, true)
  header.setUint16(32, sampleBytes, true)
  header.setUint16(34, sampleBytes * 8, true)
  writeName(36, 'data')
  header.setUint32(40, dataBytes ?? unknownSize, true)
  return new Uint8Array(header.buffer)
}
