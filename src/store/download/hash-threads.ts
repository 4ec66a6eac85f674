/** Sums of files in two threads, while the main one receives: of chunks in any order, and of whole files in order. */

/** Path of the threads' program inside the executable; `scripts/build` names it as an entry. */
const embeddedProgram = './store/download/hash-worker.ts'

export interface FilePiece {
  readonly path: string
  readonly offset: number
  readonly bytes: number
}

/** What a thread is asked. `file` numbers a whole file's sum. */
export type HashTask =
  | ({ readonly type: 'sum' } & FilePiece)
  | ({ readonly type: 'follow'; readonly file: number } & FilePiece)
  | { readonly type: 'end'; readonly file: number }
  | { readonly type: 'drop'; readonly file: number }

/** One answer for each task, in order. */
export type HashResult = { readonly sha256: string } | { readonly problem: string }

/** The sum of a whole file, whose bytes are named in order. */
export interface WholeSum {
  follow(piece: FilePiece): Promise<void>
  /** Nothing can be followed afterwards. */
  end(): Promise<string>
  /** Gives up. */
  drop(): void
}

export class HashThreads {
  #chunks: HashThread | undefined
  #wholes: HashThread | undefined
  #files = 0

  /** The sum of a part of a file. Throws what the system says when it cannot be read whole. */
  sum(piece: FilePiece): Promise<string> {
    this.#chunks ??= new HashThread()
    return this.#chunks.ask({ type: 'sum', ...piece })
  }

  beginWhole(): WholeSum {
    this.#wholes ??= new HashThread()
    const thread = this.#wholes
    const file = this.#files++
    return {
      follow: async (piece) => void (await thread.ask({ type: 'follow', file, ...piece })),
      end: () => thread.ask({ type: 'end', file }),
      drop: () => void thread.ask({ type: 'drop', file }).catch(() => undefined),
    }
  }

  /** Ends the threads; what they still had to do rejects. */
  close(): void {
    this.#chunks?.close()
    this.#wholes?.close()
    this.#chunks = undefined
    this.#wholes = undefined
  }
}

class HashThread {
  readonly #worker: Worker
  readonly #waiting: PromiseWithResolvers<string>[] = []
  #ended: Error | undefined

  constructor() {
    const isEmbedded = import.meta.url.startsWith('file:///$bunfs/')
    this.#worker = new Worker(isEmbedded ? embeddedProgram : new URL('./hash-worker.ts', import.meta.url).href)
    // A command that is done does not wait for idle threads.
    this.#worker.unref()
    this.#worker.onmessage = ({ data }: MessageEvent<HashResult>) => {
      const answer = this.#waiting.shift()
      if ('sha256' in data) answer?.resolve(data.sha256)
      else answer?.reject(new Error(data.problem))
    }
    this.#worker.onerror = ({ message }) => this.#end(new Error(`the thread that hashes has failed: ${message}`))
    this.#worker.addEventListener('close', () => this.#end(new Error('the thread that hashes has ended')))
  }

  ask(task: HashTask): Promise<string> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    const answer = Promise.withResolvers<string>()
    this.#waiting.push(answer)
    this.#worker.postMessage(task)
    return answer.promise
  }

  close(): void {
    this.#end(new Error('hashing was stopped'))
    this.#worker.terminate()
  }

  #end(reason: Error): void {
    this.#ended ??= reason
    for (const { reject } of this.#waiting.splice(0)) reject(reason)
  }
}
