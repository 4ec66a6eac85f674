const headerBytes = 44

/** Converts samples of -1 to 1 to 16-bit little-endian numbers. */
export function toPcm(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = new DataView(new ArrayBuffer(samples.length * 2))
  samples.forEach((sample, index) => {
    bytes.setInt16(index * 2, Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))), true)
  })
  return new Uint8Array(bytes.buffer)
}

/** Returns a WAV file of one channel of 16-bit little-endian samples. */
export function wavFile(pcm: Uint8Array, sampleRateHz: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(headerBytes + pcm.length)
  const header = new DataView(file.buffer)
  const write = (offset: number, text: string) => new TextEncoder().encodeInto(text, file.subarray(offset))
  write(0, 'RIFF')
  header.setUint32(4, headerBytes - 8 + pcm.length, true)
  write(8, 'WAVEfmt ')
  header.setUint32(16, 16, true)
  header.setUint16(20, 1, true) // PCM
  header.setUint16(22, 1, true)
  header.setUint32(24, sampleRateHz, true)
  header.setUint32(28, sampleRateHz * 2, true)
  header.setUint16(32, 2, true)
  header.setUint16(34, 16, true)
  write(36, 'data')
  header.setUint32(40, pcm.length, true)
  file.set(pcm, headerBytes)
  return file
}
