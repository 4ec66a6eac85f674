/** Engines that run in the server's own process, because they have no native code: to the server they look like a child. */
import type { EngineKind } from '../core/model.ts'
import type { WorkKind } from '../core/work.ts'
import type { LoadEngine } from './engine.ts'
import { EngineMessages } from './engine-messages.ts'
import type { FromEngine, ToEngine } from './protocol.ts'
import type { EngineChild, EngineChildHandlers, EngineSpawn } from './spawn-engine.ts'

export type InServerEngines = { readonly [Kind in EngineKind]?: LoadEngine<WorkKind, never> }

/** Starts engines of these kinds here, and others as `spawn` does. */
export function withInServerEngines(engines: InServerEngines, spawn: EngineSpawn): EngineSpawn {
  return (kind, handlers) => {
    const load = engines[kind]
    return load === undefined ? spawn(kind, handlers) : new InServerChild(load, handlers)
  }
}

/**
 * Messages arrive in order, and after the call that sent them, as from another process; but they are not copied, so neither
 * side changes one. What the engine throws ends it alone, with its requests.
 */
class InServerChild implements EngineChild {
  readonly pid = undefined
  readonly #handlers: EngineChildHandlers
  readonly #messages: EngineMessages
  readonly #ending = new AbortController()

  constructor(load: LoadEngine<WorkKind, never>, handlers: EngineChildHandlers) {
    this.#handlers = handlers
    this.#messages = new EngineMessages({
      loader: async () => load,
      send: (message) => this.#deliver(message),
      end: (how) => this.#end(how === 'stopped' ? 'exit code 0' : 'exit code 1'),
      signal: this.#ending.signal,
    })
  }

  send(message: ToEngine): void {
    this.#later(() => {
      // It is asked nothing else: its row says how it is held in memory.
      if (message.type !== 'estimate' && message.type !== 'devices') this.#messages.receive(message)
    })
  }

  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#later(() => this.#end(`signal ${signal}`))
  }

  #deliver(message: FromEngine): void {
    if (this.#ending.signal.aborted) return
    queueMicrotask(() => this.#handlers.onMessage(message))
  }

  #later(act: () => void): void {
    queueMicrotask(() => {
      if (this.#ending.signal.aborted) return
      try {
        act()
      } catch (error) {
        this.#handlers.onLogLine(error instanceof Error ? (error.stack ?? error.message) : String(error))
        this.#end('an error in the engine')
      }
    })
  }

  /** What was sent before comes first. */
  #end(reason: string): void {
    if (this.#ending.signal.aborted) return
    this.#ending.abort(new Error('the engine was ended'))
    queueMicrotask(() => this.#handlers.onExit(reason))
  }
}
