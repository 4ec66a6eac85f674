import type { Owner } from '../../core/owner.ts'
import type { BodyReader, FindItem } from '../../wire/dialect.ts'
import { BodyMemory, type BodyMemoryOptions } from './body-memory.ts'
import { type ParsedBody, parseBody } from './parse-body.ts'
import { ParseThread } from './parse-thread.ts'
import { type BodyBounds, readBody } from './read-body.ts'

type BodyIntakeOptions = Pick<BodyBounds, 'limitBytes' | 'timeoutMs'>

interface Sender {
  readonly owner: Owner
  /** All senders without funds together count as one account. */
  readonly hasFunds: boolean
}

/** Bodies up to this size are parsed at once, in under a millisecond: the thread's answer would take longer. */
const smallBytes = 4 * 1024

/** Limit for accounts without funds. */
const unfundedLimitBytes = 1024 * 1024

const megabyte = 1024 * 1024
const memory: BodyMemoryOptions = {
  budgetBytes: 64 * megabyte,
  accountBytes: 32 * megabyte,
  freeBytes: megabyte / 4,
  accountBodies: 256,
  patienceMs: 5_000,
}

/** Takes in bodies of any size without delaying other requests: bounded, in turns by owner, parsed by a thread. */
export class BodyIntake {
  readonly #options: BodyIntakeOptions
  readonly #memory = new BodyMemory(memory)
  readonly #thread = new ParseThread()

  constructor(options: BodyIntakeOptions) {
    this.#options = options
  }

  /**
   * Reads and parses a body. Its memory counts until it is disposed of. Throws ApiError 400, 408, 413, 415 or 503.
   */
  async take(
    request: Request,
    reader: BodyReader<unknown>,
    { owner, hasFunds }: Sender,
    findItem: FindItem,
  ): Promise<ParsedBody & Disposable> {
    const account = hasFunds ? owner : 'unfunded'
    const { limitBytes, timeoutMs } = this.#options
    using opened = new DisposableStack()
    const held = opened.adopt(this.#memory.open(account), (body) => body.release())
    const pieces = await readBody(request, {
      limitBytes: hasFunds ? limitBytes : Math.min(limitBytes, unfundedLimitBytes),
      timeoutMs,
      takesAnyType: reader.takesAnyType,
      hold: (bytes) => held.hold(bytes),
      evicted: held.evicted,
    })
    held.received()
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
    const { endpoint } = reader
    const body =
      bytes <= smallBytes
        ? parseBody(reader, Buffer.concat(pieces), findItem)
        : await this.#thread.parse({ endpoint, account, pieces, findItem, signal: request.signal })
    const memory = opened.move()
    return { ...body, [Symbol.dispose]: () => memory.dispose() }
  }

  close(): void {
    this.#thread.close()
  }
}
