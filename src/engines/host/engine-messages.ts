/** Handles the server's messages to the engine of this child. */
import { PhaseTimer } from '../../core/load-phases.ts'
import { unreachable } from '../../core/unreachable.ts'
import type { WorkKind } from '../../core/work.ts'
import type { Engine, LoadEngine } from '../protocol/engine.ts'
import { loadFailure } from '../protocol/load-error.ts'
import { type FromEngine, memoryFile, protocolVersion, type ToEngine, watchdogId } from '../protocol/messages.ts'
import { PackedRequests } from '../protocol/packed-request.ts'

type Load = Extract<ToEngine, { type: 'load' }>

/** Messages to an engine that serves a model. The others are questions, after whose answer the child ends. */
type ToServingEngine = Exclude<ToEngine, { type: 'estimate' | 'devices' | 'probe' }>

interface EngineMessagesOptions {
  /**
   * Resolves with the engine's loader; undefined if this program has no such engine. The settings were read by the
   * engine's own row.
   */
  readonly loader: (kind: Load['kind']) => Promise<LoadEngine<WorkKind, never> | undefined>
  readonly send: (message: FromEngine) => void
  /** Ends the process. No message is handled afterwards. */
  readonly end: (how: 'stopped' | 'load-failed') => void
}

export class EngineMessages {
  readonly #options: EngineMessagesOptions
  readonly #packed = new PackedRequests()
  #engine: Engine | undefined

  constructor(options: EngineMessagesOptions) {
    this.#options = options
  }

  receive(message: ToServingEngine): void {
    const { send, end } = this.#options
    switch (message.type) {
      case 'load':
        this.#load(message).catch((error: unknown) => this.fail(error))
        return
      case 'run':
        this.#engine?.run(message.id, message.accountId, this.#packed.complete(message.id, message.work), message.trace)
        return
      case 'grant':
        this.#engine?.grant(message.id, message.grant)
        return
      case 'packed':
        this.#packed.add(message.id, message.bytes)
        return
      case 'cancel':
        this.#packed.forget(message.id)
        this.#engine?.cancel(message.id)
        return
      case 'pause':
        this.#engine?.pause?.(message.id, message.isPaused)
        return
      case 'stats':
        send({ type: 'stats', id: message.id, stats: this.#engine?.stats() })
        return
      case 'threads':
        this.#engine?.useThreads(message.count)
        return
      case 'stop':
        try {
          this.#tellCurves()
          this.#leaveNote(message.noteBytes)
        } finally {
          end('stopped')
        }
        return
      default:
        unreachable(message)
    }
  }

  /** Reports a failed load or question, and ends. */
  fail(error: unknown): void {
    this.#options.send({ type: 'load-failed', ...loadFailure(error) })
    this.#options.end('load-failed')
  }

  async #load({ version, kind, settings, note, ...setup }: Load): Promise<void> {
    const { loader, send } = this.#options
    requireVersion(version)
    const loadEngine = await loader(kind)
    if (loadEngine === undefined) throw new Error(`this program has no engine of kind '${kind}'`)
    const timer = new PhaseTimer()
    const engine = await loadEngine({
      ...setup,
      settings: settings as never,
      note: note && { file: memoryFile, parts: note },
      onProgress: (fraction) => send({ type: 'progress', fraction }),
      onPhase: (phase) => timer.end(phase),
      emit: (events) => send({ type: 'events', events }),
    })
    this.#engine = engine
    send({ type: 'ready', info: engine.info, times: timer.times })
  }

  /** Sends the step costs, those of the last steps included. */
  #tellCurves(): void {
    const stats = this.#engine?.stats()
    if (stats?.stepCurves !== undefined) this.#options.send({ type: 'stats', id: watchdogId, stats })
  }

  #leaveNote(limitBytes = 0): void {
    if (limitBytes === 0) return
    const parts = this.#engine?.leaveNote?.(limitBytes) ?? []
    if (parts.length > 0) this.#options.send({ type: 'note', parts })
  }
}

export function requireVersion(version: number): void {
  if (version !== protocolVersion) throw new Error('server and engine are of different versions; restart inferd')
}
