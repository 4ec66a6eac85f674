import { spokenSampleRateHz } from './speech.ts'

const sampleBytes = 2
export const wavHeaderBytes = 44
/** Size that players read as "until the end". */
const unknownSize = 0xffff_ffff

/** Returns the WAV header of mono 16-bit samples. `dataBytes` is undefined while their number is unknown. */
export function wavHeader(dataBytes: number | undefined, sampleRateHz = spokenSampleRateHz): Uint8Array {
  const header = new DataView(new ArrayBuffer(wavHeaderBytes))
  const writeName = (offset: number, name: string) => {
    for (const [index, letter] of [...name].entries()) header.setUint8(offset + index, letter.charCodeAt(0))
  }
  writeName(0, 'RIFF')
  header.setUint32(4, dataBytes === undefined ? unknownSize : wavHeaderBytes - 8 + dataBytes, true)
  writeName(8, 'WAVEfmt ')
  header.setUint32(16, 16, true)
  header.setUint16(20, 1, true) // PCM
  header.setUint16(22, 1, true)
  header.setUint32(24, sampleRateHz, true)
  header.setUint32(28, sampleRateHz * sampleBytes, true)
  header.setUint16(32, sampleBytes, true)
  header.setUint16(34, sampleBytes * 8, true)
  writeName(36, 'data')
  header.setUint32(40, dataBytes ?? unknownSize, true)
  return new Uint8Array(header.buffer)
}
