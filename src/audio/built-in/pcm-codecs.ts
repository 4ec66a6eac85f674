/** Decoder of raw samples in encodings that the library lacks. Returns numbers from -1 to 1. */
type PcmDecoder = (bytes: Uint8Array) => Float32Array

function decoder(bytesPerSample: number, sampleAt: (view: DataView, offset: number) => number): PcmDecoder {
  return (bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const samples = new Float32Array(Math.floor(bytes.length / bytesPerSample))
    for (let index = 0; index < samples.length; index++) samples[index] = sampleAt(view, index * bytesPerSample)
    return samples
  }
}

/** Decodes ITU-T G.711 μ-law: a sign, three bits of exponent and four of mantissa, as 14 bits. */
function muLaw(value: number): number {
  const bits = ~value & 0xff
  const magnitude = ((((bits & 15) << 1) + 33) << ((bits >> 4) & 7)) - 33
  return ((bits & 0x80) === 0 ? magnitude : -magnitude) / 8192
}

/** Decodes ITU-T G.711 A-law: as 13 bits, every other bit inverted; the lowest two segments are equally wide. */
function aLaw(value: number): number {
  const bits = value ^ 0x55
  const segment = (bits >> 4) & 7
  const step = ((bits & 15) << 1) + 1
  const magnitude = segment === 0 ? step : (step + 32) << (segment - 1)
  return ((bits & 0x80) === 0 ? -magnitude : magnitude) / 4096
}

/** Decoders by FFmpeg's codec number. */
export const pcmDecoders: ReadonlyMap<number, PcmDecoder> = new Map([
  [65_541, decoder(1, (view, offset) => (view.getUint8(offset) - 128) / 128)],
  [65_542, decoder(1, (view, offset) => muLaw(view.getUint8(offset)))],
  [65_543, decoder(1, (view, offset) => aLaw(view.getUint8(offset)))],
  [65_544, decoder(4, (view, offset) => view.getInt32(offset, true) / 2 ** 31)],
  [65_559, decoder(8, (view, offset) => view.getFloat64(offset, true))],
])
