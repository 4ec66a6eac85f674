/** Hashes downloaded bytes in a thread, while the main one receives. */
import { WorkerThread } from '../../core/worker-thread.ts'
import type { DiskPiece, HashResult, HashTask } from './hash-worker.ts'

/** SHA-256 of a whole file, whose bytes are added in order. */
export interface WholeSum extends Disposable {
  follow(piece: DiskPiece): Promise<void>
  /** Returns the checksum. Nothing can be added afterwards. */
  end(): Promise<string>
}

/** One thread for any number of files. It begins with its first task. */
export class HashThread implements Disposable {
  #thread: WorkerThread<HashTask, HashResult> | undefined
  #isClosed = false
  #files = 0

  /** Returns the checksum of a chunk (`ChunkSum`). Throws the system's error if it cannot be read completely. */
  sumOfChunk(piece: DiskPiece): Promise<string> {
    return this.#ask({ type: 'chunk', ...piece })
  }

  beginWhole(): WholeSum {
    const file = this.#files++
    return {
      follow: async (piece) => void (await this.#ask({ type: 'follow', file, ...piece })),
      end: () => this.#ask({ type: 'end', file }),
      [Symbol.dispose]: () => void this.#ask({ type: 'drop', file }).catch(() => undefined),
    }
  }

  /** Ends the thread. Its unfinished jobs reject. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#thread?.[Symbol.dispose]()
  }

  async #ask(task: HashTask): Promise<string> {
    if (this.#isClosed) throw new Error('the thread that hashes was stopped')
    // Unreferenced, so that an idle thread does not keep a finished command running.
    this.#thread ??= new WorkerThread<HashTask, HashResult>({
      program: 'store/download/hash-worker.ts',
      name: 'the thread that hashes',
    }).unref()
    const answer = await this.#thread.ask(task)
    if ('sum' in answer) return answer.sum
    throw new Error(answer.problem)
  }
}
