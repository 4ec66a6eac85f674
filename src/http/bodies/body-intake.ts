import type { BodyReader, FindItem } from '../../wire/dialect.ts'
import { BodyMemory, type BodyMemoryOptions } from './body-memory.ts'
import { type ParsedBody, parseBody } from './parse-body.ts'
import { requireJsonType } from './parse-json.ts'
import { ParseThread } from './parse-thread.ts'
import { readBytes } from './read-bytes.ts'

export interface BodyIntakeOptions {
  readonly limitBytes: number
  readonly timeoutMs: number
}

export interface Sender {
  readonly accountId: string
  /** It has no money: all such senders together count as one account. */
  readonly isPenniless: boolean
}

/** Parsed at once up to here: below, the thread's answer takes longer than the work, which is under a millisecond. */
const smallBytes = 4 * 1024

/** Largest body of accounts without money. */
const pennilessLimitBytes = 1024 * 1024

const megabyte = 1024 * 1024
const memory: BodyMemoryOptions = {
  budgetBytes: 64 * megabyte,
  accountBytes: 32 * megabyte,
  freeBytes: megabyte / 4,
  accountBodies: 256,
  patienceMs: 5_000,
}

/** How bodies of any size come in without delaying others: within bounds, in turns by account, parsed beside the loop. */
export class BodyIntake {
  readonly #options: BodyIntakeOptions
  readonly #memory = new BodyMemory(memory)
  readonly #thread = new ParseThread()

  constructor(options: BodyIntakeOptions) {
    this.#options = options
  }

  /** Reads and parses a body. Throws ApiError 400, 408, 413, 415 or 503. */
  async take(
    request: Request,
    reader: BodyReader<unknown>,
    { accountId, isPenniless }: Sender,
    findItem: FindItem,
  ): Promise<ParsedBody> {
    requireJsonType(request.headers.get('content-type'))
    const account = isPenniless ? 'penniless' : accountId
    const { limitBytes, timeoutMs } = this.#options
    const held = this.#memory.open(account)
    try {
      const pieces = await readBytes(request, {
        limitBytes: isPenniless ? Math.min(limitBytes, pennilessLimitBytes) : limitBytes,
        timeoutMs,
        hold: (bytes) => held.hold(bytes),
        evicted: held.evicted,
      })
      held.received()
      const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
      if (bytes <= smallBytes) return parseBody(reader, Buffer.concat(pieces), findItem)
      return await this.#thread.parse({ endpoint: reader.endpoint, account, pieces, findItem, signal: request.signal })
    } finally {
      held.release()
    }
  }

  close(): void {
    this.#thread.close()
  }
}
