interface WorkerThreadOptions {
  /** Path of the thread's program below `src/`. `scripts/build.ts` names it as an entry of the executable. */
  readonly program: string
  /** Name in messages, such as `the thread that hashes`. */
  readonly name: string
  /** Called once, when the thread ends by itself. */
  readonly onEnd?: (reason: string) => void
}

interface AskOptions {
  /** Buffers that move to the thread. They are empty afterwards. */
  readonly transfer?: ArrayBuffer[]
  /** Signal that ends the wait for the answer. The thread continues. */
  readonly signal?: AbortSignal | undefined
}

/** Thread that answers each message with one message, in order. */
export class WorkerThread<Message, Answer> implements Disposable {
  readonly #options: WorkerThreadOptions
  readonly #worker: Worker
  readonly #waiting: PromiseWithResolvers<Answer>[] = []
  #ended: Error | undefined

  constructor(options: WorkerThreadOptions) {
    const { program, name } = options
    this.#options = options
    const isEmbedded = import.meta.url.startsWith('file:///$bunfs/')
    this.#worker = new Worker(isEmbedded ? `./${program}` : new URL(`../${program}`, import.meta.url).href)
    this.#worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#waiting.shift()?.resolve(data)
    this.#worker.onerror = ({ message }) => this.#end(`${name} has failed: ${message}`)
    this.#worker.addEventListener('close', () => this.#end(`${name} has ended`))
  }

  /** Lets the process end while the thread is idle. */
  unref(): this {
    this.#worker.unref()
    return this
  }

  /** Resolves with the thread's answer. Rejects with the signal's reason, or when the thread ends before it answers. */
  async ask(message: Message, { transfer = [], signal }: AskOptions = {}): Promise<Answer> {
    signal?.throwIfAborted()
    if (this.#ended !== undefined) throw this.#ended
    this.#worker.postMessage(message, transfer)
    const answer = Promise.withResolvers<Answer>()
    this.#waiting.push(answer)
    const giveUp = () => answer.reject(signal?.reason)
    signal?.addEventListener('abort', giveUp)
    try {
      return await answer.promise
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }

  /** Sends a message that the thread does not answer. */
  tell(message: Message): void {
    this.#worker.postMessage(message)
  }

  /** Ends the thread. Messages without an answer reject. */
  [Symbol.dispose](): void {
    this.#rejectAll(`${this.#options.name} was stopped`)
    this.#worker.terminate()
  }

  #end(reason: string): void {
    if (this.#ended !== undefined) return
    this.#rejectAll(reason)
    this.#options.onEnd?.(reason)
  }

  #rejectAll(reason: string): void {
    const ended = new Error(reason)
    this.#ended ??= ended
    for (const { reject } of this.#waiting.splice(0)) reject(ended)
  }
}
