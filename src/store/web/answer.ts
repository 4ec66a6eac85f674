import type { StallGuard } from './stall-guard.ts'
import { statusError } from './status-error.ts'
import { shownAddress, WebError } from './web-error.ts'

interface Connection {
  readonly guard: StallGuard
  readonly close: () => void
  readonly toError: (error: unknown) => unknown
}

/** An HTTP answer whose head has come. Read it or close it: its connection is held until then. */
export class Answer {
  readonly address: URL
  readonly status: number
  readonly headers: Headers
  readonly #response: Response
  readonly #connection: Connection

  constructor(address: URL, response: Response, connection: Connection) {
    this.address = address
    this.status = response.status
    this.headers = response.headers
    this.#response = response
    this.#connection = connection
  }

  /** Throws the WebError of a status that is no success. */
  requireSuccess(): void {
    const error = statusError(this.address, this.#response)
    if (error === undefined) return
    this.close()
    throw error
  }

  /**
   * Yields the body as it arrives. Closes the connection if the caller stops early. Throws WebError, and the signal's
   * reason.
   */
  async *pieces(): AsyncGenerator<Uint8Array> {
    const reader = this.#response.body?.getReader()
    try {
      while (reader !== undefined) {
        const piece = await this.#connection.guard.wait(reader.read(), ({ value }) => value?.length ?? 0)
        if (piece.done) return
        yield piece.value
      }
    } catch (error) {
      throw this.#connection.toError(error)
    } finally {
      this.close()
      reader?.cancel().catch(() => undefined)
    }
  }

  /** Returns the whole body. Throws WebError, also if it is longer than the limit. */
  async text(limitBytes: number): Promise<string> {
    const decoder = new TextDecoder()
    let text = ''
    let bytes = 0
    for await (const piece of this.pieces()) {
      bytes += piece.length
      if (bytes > limitBytes)
        throw new WebError('final', `${shownAddress(this.address)} has more than ${limitBytes} bytes`)
      text += decoder.decode(piece, { stream: true })
    }
    return text + decoder.decode()
  }

  close(): void {
    this.#connection.close()
  }
}
