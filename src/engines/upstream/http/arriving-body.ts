import type { IncomingMessage } from 'node:http'

/** Most buffered bytes before the connection is paused. */
const aheadBytes = 64 * 1024

/** Body of an answer as it arrives. Bytes received before a lost connection can still be taken. */
export class ArrivingBody {
  readonly #message: IncomingMessage
  #pieces: Uint8Array[] = []
  #bytes = 0
  #end: 'whole' | { readonly error: unknown } | undefined
  #wake: () => void = () => undefined

  constructor(message: IncomingMessage) {
    this.#message = message
    message.on('data', (piece: Uint8Array) => {
      this.#pieces.push(piece)
      this.#bytes += piece.length
      if (this.#bytes > aheadBytes) message.pause()
      this.#wake()
    })
    message.on('end', () => this.#finish('whole'))
    message.on('error', (error) => this.fail(error))
    message.on('close', () => this.fail(new Error('closed')))
  }

  /** True if all of it has arrived, by the length that the server declared. */
  get isWhole(): boolean {
    return this.#end === 'whole'
  }

  /**
   * Returns newly arrived bytes, at least one piece; undefined at the end. Throws the connection's error. Only for one
   * caller at a time.
   */
  async take(): Promise<readonly Uint8Array[] | undefined> {
    while (this.#pieces.length === 0) {
      if (this.#end === 'whole') return undefined
      if (this.#end !== undefined) throw this.#end.error
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const pieces = this.#pieces
    this.#pieces = []
    if (this.#bytes > aheadBytes) this.#message.resume()
    this.#bytes = 0
    return pieces
  }

  /** Records that the connection was lost. */
  fail(error: unknown): void {
    this.#finish({ error })
  }

  #finish(end: 'whole' | { readonly error: unknown }): void {
    this.#end ??= end
    this.#wake()
  }
}
