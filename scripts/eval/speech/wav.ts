/** A WAV file of one channel of 16-bit samples. */
export function wavFile(samples: Float32Array, sampleRateHz: number): Uint8Array<ArrayBuffer> {
  const dataBytes = samples.length * 2
  const bytes = new DataView(new ArrayBuffer(44 + dataBytes))
  const writeText = (offset: number, text: string) =>
    [...text].forEach((sign, index) => {
      bytes.setUint8(offset + index, sign.charCodeAt(0))
    })
  writeText(0, 'RIFF')
  bytes.setUint32(4, 36 + dataBytes, true)
  writeText(8, 'WAVEfmt ')
  bytes.setUint32(16, 16, true)
  bytes.setUint16(20, 1, true) // PCM
  bytes.setUint16(22, 1, true)
  bytes.setUint32(24, sampleRateHz, true)
  bytes.setUint32(28, sampleRateHz * 2, true)
  bytes.setUint16(32, 2, true)
  bytes.setUint16(34, 16, true)
  writeText(36, 'data')
  bytes.setUint32(40, dataBytes, true)
  samples.forEach((sample, index) => {
    bytes.setInt16(44 + index * 2, Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))), true)
  })
  return new Uint8Array(bytes.buffer)
}
