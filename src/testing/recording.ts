/** Returns a WAV file at 16 kHz whose samples are silence or `content`, such as a script of the fake engine. */
export function recording(seconds: number, content: string | Uint8Array = ''): Buffer<ArrayBuffer> {
  const bytes = seconds * 32_000
  const wav = Buffer.alloc(44 + bytes)
  wav.write('RIFF....WAVEfmt ')
  wav.writeUInt32LE(36 + bytes, 4)
  for (const [at, value] of [
    [16, 16],
    [24, 16_000],
    [28, 32_000],
  ] as const)
    wav.writeUInt32LE(value, at)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    wav.writeUInt16LE(value, at)
  wav.write('data', 36)
  wav.writeUInt32LE(bytes, 40)
  wav.set(Buffer.from(content), 44)
  return wav
}
