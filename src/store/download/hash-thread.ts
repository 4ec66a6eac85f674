/** Hashes downloaded bytes in a thread, while the main one receives. */
import type { DiskPiece, HashResult, HashTask } from './hash-worker.ts'

/** Path of the thread's program inside the executable; `scripts/build` names it as an entry. */
const embeddedProgram = './store/download/hash-worker.ts'

/** The SHA-256 of a whole file, whose bytes are named in order. */
export interface WholeSum {
  follow(piece: DiskPiece): Promise<void>
  /** Returns the checksum. Nothing can be added afterwards. */
  end(): Promise<string>
  /** Gives up. */
  drop(): void
}

/** One thread for any number of files. It begins with its first task. */
export class HashThread {
  readonly #waiting: PromiseWithResolvers<string>[] = []
  #worker: Worker | undefined
  #ended: Error | undefined
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
      drop: () => void this.#ask({ type: 'drop', file }).catch(() => undefined),
    }
  }

  /** Ends the thread. Its unfinished jobs reject. */
  close(): void {
    this.#end(new Error('hashing was stopped'))
    this.#worker?.terminate()
  }

  #ask(task: HashTask): Promise<string> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    this.#worker ??= this.#start()
    const answer = Promise.withResolvers<string>()
    this.#waiting.push(answer)
    this.#worker.postMessage(task)
    return answer.promise
  }

  #start(): Worker {
    const isEmbedded = import.meta.url.startsWith('file:///$bunfs/')
    const worker = new Worker(isEmbedded ? embeddedProgram : new URL('./hash-worker.ts', import.meta.url).href)
    // A command that is done does not wait for an idle thread.
    worker.unref()
    worker.onmessage = ({ data }: MessageEvent<HashResult>) => {
      const answer = this.#waiting.shift()
      if ('sum' in data) answer?.resolve(data.sum)
      else answer?.reject(new Error(data.problem))
    }
    worker.onerror = ({ message }) => this.#end(new Error(`the thread that hashes has failed: ${message}`))
    worker.addEventListener('close', () => this.#end(new Error('the thread that hashes has ended')))
    return worker
  }

  #end(reason: Error): void {
    this.#ended ??= reason
    for (const { reject } of this.#waiting.splice(0)) reject(reason)
  }
}
