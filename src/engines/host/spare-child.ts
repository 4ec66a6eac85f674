/**
 * Child kept after a dry run. It can load the same model without another start and without opening the libraries
 * again.
 */

import type { Clock } from '../../core/clock.ts'
import type { EngineKind } from '../../core/model.ts'
import type { Note } from './note.ts'
import type { EngineChild, EngineChildHandlers, EngineSpawn } from './spawn-engine.ts'

interface SpareChildOptions {
  readonly spawn: EngineSpawn
  /** Revision of the model and its settings that the child was asked about. */
  readonly revision: string
  /** Memory file of the child, if it has one. */
  readonly note: Note | undefined
  readonly clock: Clock
  /** Called once, unless a load claims the child. */
  readonly onUnused: () => void
}

/** Time that a child waits for its load. Its memory is not reserved. */
const waitLimitMs = 10_000

export class SpareChild {
  readonly revision: string
  readonly note: Note | undefined
  readonly #options: SpareChildOptions
  #isSettled = false
  #child: EngineChild | undefined
  /** Undefined while the child waits. */
  #handlers: EngineChildHandlers | undefined
  #gone: PromiseWithResolvers<void> | undefined
  #cancelLimit: () => void = () => undefined

  constructor(options: SpareChildOptions) {
    this.#options = options
    this.revision = options.revision
    this.note = options.note
  }

  /**
   * Starts the child for a question. After the answer it waits instead of stopping, while the caller sees it as gone.
   */
  readonly ask: EngineSpawn = (kind: EngineKind, handlers: EngineChildHandlers) => {
    const { spawn, clock } = this.#options
    const gone = Promise.withResolvers<void>()
    this.#handlers = handlers
    this.#gone = gone
    const child = spawn(
      kind,
      {
        onMessage: (message) => this.#handlers?.onMessage(message),
        onLogLine: (line) => this.#handlers?.onLogLine(line),
        onExit: (reason) => {
          if (this.#child === child) this.#forget()
          gone.resolve()
          this.#handlers?.onExit(reason)
        },
      },
      this.note?.file,
    )
    return {
      pid: child.pid,
      kill: (signal) => child.kill(signal),
      send: (message) => {
        if (message.type !== 'stop') return child.send(message)
        this.#child = child
        this.#handlers = undefined
        this.#cancelLimit = clock.after(waitLimitMs, () => void this.end())
        handlers.onExit('it waits')
      },
    }
  }

  /** Keeps the child for a load, which then owns the memory file. Returns false if no child waits. */
  claim(): boolean {
    if (this.#child === undefined) return false
    this.#isSettled = true
    this.#cancelLimit()
    return true
  }

  /** Hands the child to the load that claimed it. Undefined if it has ended meanwhile. */
  take(handlers: EngineChildHandlers): EngineChild | undefined {
    const child = this.#child
    this.#child = undefined
    this.#handlers = handlers
    return child
  }

  /** Ends the child unless a load has taken it. Resolves when it is gone. */
  async end(): Promise<void> {
    if (this.#child !== undefined) {
      this.#child.kill('SIGKILL')
      await this.#gone?.promise
    }
    this.#forget()
  }

  #forget(): void {
    this.#child = undefined
    this.#cancelLimit()
    if (this.#isSettled) return
    this.#isSettled = true
    this.#options.onUnused()
  }
}
