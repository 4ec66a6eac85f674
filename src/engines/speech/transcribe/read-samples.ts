import type { AudioFile } from '../../../core/speech.ts'

const sampleBytes = 2
const fullScale = 32_768

/** Samples of a recording in the spool, from -1 to 1; fewer where it ends. Rejects when the file is gone. */
export async function readSamples(
  { path, sampleCount }: AudioFile,
  start: number,
  end: number,
): Promise<Float32Array<ArrayBuffer>> {
  const last = Math.min(end, sampleCount)
  const bytes = await Bun.file(path)
    .slice(start * sampleBytes, last * sampleBytes)
    .arrayBuffer()
  const samples = new Float32Array(Math.floor(bytes.byteLength / sampleBytes))
  const view = new DataView(bytes)
  for (let index = 0; index < samples.length; index++)
    samples[index] = view.getInt16(index * sampleBytes, true) / fullScale
  return samples
}
