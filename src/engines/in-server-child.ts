/** Engines that run in the server's own process, because they have no native code: to the server they look like a child. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { EngineKind } from '../core/model.ts'
import type { WorkKind } from '../core/work.ts'
import type { LoadEngine } from './engine.ts'
import { EngineMessages } from './engine-messages.ts'
import type { FromEngine, ToEngine } from './protocol.ts'
import type { EngineChild, EngineChildHandlers, EngineSpawn } from './spawn-engine.ts'

export type InServerEngines = { readonly [Kind in EngineKind]?: LoadEngine<WorkKind, never> }

/** Starts engines of these kinds here, and others as `spawn` does. */
export function withInServerEngines(engines: InServerEngines, spawn: EngineSpawn): EngineSpawn {
  return (kind, handlers, file) => {
    const load = engines[kind]
    return load === undefined ? spawn(kind, handlers, file) : new InServerChild(load, handlers)
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
      // It is asked nothing else: its row says how it is held in memory.
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

  /** It threw an error, at once or in a callback of its own. */
  fail(error: unknown): void {
    if (this.#ending.signal.aborted) return
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.#tell(() => this.#handlers.onLogLine(text))
    this.#end('an error in the engine ended it')
  }

  /** Messages that were sent before come first. A listener that throws must not prevent the exit. */
  #end(reason: string): void {
    if (this.#ending.signal.aborted) return
    this.#tell(() => this.#handlers.onExit(reason))
    running.run(this, () => this.#ending.abort(new Error('the engine was ended')))
  }

  /** The server's own work is not the engine's. */
  #tell(tell: () => void): void {
    queueMicrotask(() => running.run(undefined, tell))
  }
}

/** Whose code runs; undefined: the server's. */
const running = new AsyncLocalStorage<InServerChild | undefined>()
let isBlaming = false

/** An error that an engine's timer or socket throws would end the server; it ends the engine. Others end the server as before. */
function blameEngines(): void {
  if (isBlaming) return
  isBlaming = true
  process.on('uncaughtException', (error) => {
    const engine = running.getStore()
    if (engine === undefined) throw error
    engine.fail(error)
  })
}
