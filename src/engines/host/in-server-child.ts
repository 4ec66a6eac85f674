/** Engines without native code, which run in the server's own process behind the interface of a child. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { EngineKind } from '../../core/model.ts'
import type { WorkKind } from '../../core/work.ts'
import type { LoadEngine } from '../protocol/engine.ts'
import type { FromEngine, ToEngine } from '../protocol/protocol.ts'
import { EngineMessages } from './engine-messages.ts'
import type { EngineChild, EngineChildHandlers, EngineSpawn } from './spawn-engine.ts'

export type InServerEngines = { readonly [Kind in EngineKind]?: LoadEngine<WorkKind, never> }

/** Starts engines of these kinds in the server, and others by `spawn`. */
export function withInServerEngines(engines: InServerEngines, spawn: EngineSpawn): EngineSpawn {
  return (kind, handlers, file) => {
    const load = engines[kind]
    return load === undefined ? spawn(kind, handlers, file) : new InServerChild(load, handlers)
  }
}

/**
 * Child in the server's process. Messages arrive in order and asynchronously, as from another process. They are not
 * copied, so neither side may change one. An engine's error ends only that engine, with its requests.
 */
class InServerChild implements EngineChild {
  readonly pid = undefined
  readonly #handlers: EngineChildHandlers
  readonly #messages: EngineMessages
  readonly #ending = new AbortController()

  constructor(load: LoadEngine<WorkKind, never>, handlers: EngineChildHandlers) {
    blameEngines()
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
      // Not asked for these: its row of the engine table defines how it is held in memory.
      const isQuestion = message.type === 'estimate' || message.type === 'devices' || message.type === 'probe'
      if (!isQuestion) this.#messages.receive(message)
    })
  }

  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#later(() => this.#end(`signal ${signal}`))
  }

  #deliver(message: FromEngine): void {
    if (this.#ending.signal.aborted) return
    this.#tell(() => this.#handlers.onMessage(message))
  }

  #later(act: () => void): void {
    queueMicrotask(() => {
      if (this.#ending.signal.aborted) return
      try {
        running.run(this, act)
      } catch (error) {
        this.fail(error)
      }
    })
  }

  /** Ends the engine after an error that it threw at once or in a callback. */
  fail(error: unknown): void {
    if (this.#ending.signal.aborted) return
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.#tell(() => this.#handlers.onLogLine(text))
    this.#end('an error in the engine ended it')
  }

  /** Ends the engine after earlier messages. A listener that throws must not prevent the exit. */
  #end(reason: string): void {
    if (this.#ending.signal.aborted) return
    this.#tell(() => this.#handlers.onExit(reason))
    running.run(this, () => this.#ending.abort(new Error('the engine was ended')))
  }

  /** Calls the server's code outside the engine's context. */
  #tell(tell: () => void): void {
    queueMicrotask(() => running.run(undefined, tell))
  }
}

/** Engine whose code runs. Undefined in the server's code. */
const running = new AsyncLocalStorage<InServerChild | undefined>()
let isBlaming = false

/** Ends an engine instead of the server when its timer or socket throws. Other errors end the server as before. */
function blameEngines(): void {
  if (isBlaming) return
  isBlaming = true
  process.on('uncaughtException', (error) => {
    const engine = running.getStore()
    if (engine === undefined) throw error
    engine.fail(error)
  })
}
