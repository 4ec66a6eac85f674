import { type FileHandle, open } from 'node:fs/promises'
import type { AudioFile } from '../../core/speech.ts'

/** Samples of a recording, from -1 to 1, as they are wanted: it may be hours long. */
export class Samples {
  readonly #file: FileHandle
  readonly sampleCount: number

  private constructor(file: FileHandle, sampleCount: number) {
    this.#file = file
    this.sampleCount = sampleCount
  }

  static async open({ path, sampleCount }: AudioFile): Promise<Samples> {
    return new Samples(await open(path), sampleCount)
  }

  /** `count` samples from `start` on; silence where the recording has ended. Rejects where the file is shorter than it should be. */
  async read(start: number, count: number): Promise<Float32Array> {
    const there = Math.max(0, Math.min(count, this.sampleCount - start))
    const bytes = Buffer.alloc(there * Int16Array.BYTES_PER_ELEMENT)
    for (let done = 0; done < bytes.length; ) {
      const position = start * Int16Array.BYTES_PER_ELEMENT + done
      const { bytesRead } = await this.#file.read(bytes, done, bytes.length - done, position)
      if (bytesRead === 0) throw new Error('the recording ends before its last sample')
      done += bytesRead
    }
    const samples = new Float32Array(count)
    for (let index = 0; index < there; index++) samples[index] = bytes.readInt16LE(index * 2) / 32_768
    return samples
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}
