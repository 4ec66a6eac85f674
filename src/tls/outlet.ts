import type { Socket } from 'bun'

/** Sending side of a socket. Keeps bytes that the socket does not take yet. */
export class Outlet<Data> {
  readonly #socket: Socket<Data>
  readonly #waiting: Uint8Array[] = []
  #isEnding = false

  constructor(socket: Socket<Data>) {
    this.#socket = socket
  }

  /** Sends bytes. Returns false if some of them wait, so that the caller should send no more until `drain` returns true. */
  send(bytes: Uint8Array): boolean {
    if (this.#waiting.length === 0) {
      const sent = Math.max(0, this.#socket.write(bytes))
      if (sent === bytes.length) return true
      // The runtime reuses the memory of what it received.
      this.#waiting.push(bytes.slice(sent))
      return false
    }
    this.#waiting.push(bytes.slice())
    return false
  }

  /** Sends waiting bytes once the socket takes more. Returns true if none waits any longer. */
  drain(): boolean {
    for (let bytes = this.#waiting[0]; bytes !== undefined; bytes = this.#waiting[0]) {
      const sent = Math.max(0, this.#socket.write(bytes))
      if (sent < bytes.length) {
        this.#waiting[0] = bytes.subarray(sent)
        return false
      }
      this.#waiting.shift()
    }
    if (this.#isEnding) this.#socket.end()
    return true
  }

  /** Ends the sending side after all waiting bytes. */
  end(): void {
    this.#isEnding = true
    this.drain()
  }
}
