import { WeightedFairQueue } from '../../core/weighted-fair-queue.ts'
import { WorkerThread } from '../../core/worker-thread.ts'
import type { FindItem } from '../../wire/dialect.ts'
import { type ParsedBody, type Refusal, toError } from './parse-body.ts'

/** Messages to the thread that parses bodies, one body at a time. */
export type ToParser =
  | { readonly type: 'parse'; readonly endpoint: string; readonly pieces: readonly Uint8Array<ArrayBuffer>[] }
  /** Answer to `wants`. Unknown items are undefined. */
  | { readonly type: 'items'; readonly items: ReadonlyMap<string, object | undefined> }

export type FromParser =
  | { readonly type: 'parsed'; readonly body: ParsedBody }
  | { readonly type: 'refused'; readonly refusal: Refusal }
  /** Items of earlier answers that the body refers to and that have not been requested yet. */
  | { readonly type: 'wants'; readonly ids: readonly string[] }

interface LargeBody {
  readonly endpoint: string
  /** Account whose turn the body uses. */
  readonly account: string
  /** Pieces of the body, which move to the thread: empty afterwards. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[]
  readonly findItem: FindItem
  /** Signal that aborts when the client disconnects. A waiting body is then dropped. */
  readonly signal: AbortSignal
}

/** Parses large bodies in a thread, one at a time, in turns by account. The thread starts with the first body. */
export class ParseThread {
  readonly #queue = new WeightedFairQueue<() => Promise<void>>()
  #thread: WorkerThread<ToParser, FromParser> | undefined
  #isBusy = false

  /** Throws ApiError 400 when the body is not JSON or names no model, and the signal's reason when that aborts. */
  async parse(body: LargeBody): Promise<ParsedBody> {
    const { account, pieces, signal } = body
    signal.throwIfAborted()
    const parsed = Promise.withResolvers<ParsedBody>()
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
    const leave = this.#queue.add(account, bytes, () => this.#parse(body).then(parsed.resolve, parsed.reject))
    const abort = () => {
      leave()
      parsed.reject(signal.reason)
    }
    signal.addEventListener('abort', abort)
    void this.#work()
    try {
      return await parsed.promise
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /** Ends the thread. The body that it parses is refused with an error. */
  close(): void {
    this.#thread?.[Symbol.dispose]()
    this.#thread = undefined
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    for (let next = this.#queue.take(); next !== undefined; next = this.#queue.take()) await next()
    this.#isBusy = false
  }

  async #parse({ endpoint, pieces, findItem }: LargeBody): Promise<ParsedBody> {
    // Moving a view moves its whole buffer, which others may use.
    const own = pieces.map((piece) => (piece.length === piece.buffer.byteLength ? piece : piece.slice()))
    const items = new Map<string, object | undefined>()
    let answer = await this.#ask(
      { type: 'parse', endpoint, pieces: own },
      own.map(({ buffer }) => buffer),
    )
    while (answer.type === 'wants') {
      for (const id of answer.ids) items.set(id, findItem(id))
      answer = await this.#ask({ type: 'items', items })
    }
    if (answer.type === 'refused') throw toError(answer.refusal)
    return answer.body
  }

  #ask(message: ToParser, transfer: ArrayBuffer[] = []): Promise<FromParser> {
    this.#thread ??= this.#start()
    return this.#thread.ask(message, { transfer })
  }

  #start(): WorkerThread<ToParser, FromParser> {
    const thread = new WorkerThread<ToParser, FromParser>({
      program: 'http/bodies/parse-worker.ts',
      name: 'the thread that parses bodies',
      onEnd: () => {
        // The next body starts another thread.
        if (this.#thread === thread) this.#thread = undefined
      },
    })
    return thread.unref()
  }
}
