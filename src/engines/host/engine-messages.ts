/** Handles the server's messages to the engine of this child. */
import { errorData } from '../../core/errors.ts'
import { PhaseTimer } from '../../core/load-phases.ts'
import { unreachable } from '../../core/unreachable.ts'
import type { WorkKind } from '../../core/work.ts'
import type { Engine, LoadEngine } from '../protocol/engine.ts'
import { loadFailure } from '../protocol/load-error.ts'
import { PackedRequests } from '../protocol/packed-request.ts'
import { type FromEngine, memoryFile, protocolVersion, type ToEngine, watchdogId } from '../protocol/protocol.ts'
import { deadlyPictureIn } from './deadly-pictures.ts'

type Load = Extract<ToEngine, { type: 'load' }>
type Run = Extract<ToEngine, { type: 'run' }>

/** Messages to an engine that serves a model; the others ask a child that ends with its answer. */
export type ToServingEngine = Exclude<ToEngine, { type: 'estimate' | 'devices' | 'probe' }>

export interface EngineMessagesOptions {
  /** Undefined if this program has no such engine. Settings were filled by the row of the same kind. */
  readonly loader: (kind: Load['kind']) => Promise<LoadEngine<WorkKind, never> | undefined>
  readonly send: (message: FromEngine) => void
  /** Ends the process. No message is handled afterwards. */
  readonly end: (how: 'stopped' | 'load-failed') => void
}

export class EngineMessages {
  readonly #options: EngineMessagesOptions
  readonly #packed = new PackedRequests()
  #engine: Engine | undefined
  #deadly: ReadonlySet<string> = new Set()

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
        this.#run(message)
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

  async #load({ version, kind, deadlyPictures, ...message }: Load): Promise<void> {
    const { loader, send } = this.#options
    requireVersion(version)
    const loadEngine = await loader(kind)
    if (loadEngine === undefined) throw new Error(`this program has no engine of kind '${kind}'`)
    const { model, settings, runtime, isCautious, suspectPictures, placement, note, pastTokens, stepCurves } = message
    const timer = new PhaseTimer()
    const engine = await loadEngine({
      model,
      settings: settings as never,
      runtime,
      isCautious,
      suspectPictures,
      placement,
      pastTokens,
      stepCurves,
      note: note && { file: memoryFile, parts: note },
      onProgress: (fraction) => send({ type: 'progress', fraction }),
      onPhase: (phase) => timer.end(phase),
      emit: (events) => send({ type: 'events', events }),
    })
    this.#engine = engine
    this.#deadly = new Set(deadlyPictures ?? [])
    send({ type: 'ready', info: engine.info, times: timer.times })
  }

  /** Sends the step costs, including the last steps. */
  #tellCurves(): void {
    const stats = this.#engine?.stats()
    if (stats?.stepCurves !== undefined) this.#options.send({ type: 'stats', id: watchdogId, stats })
  }

  #leaveNote(limitBytes = 0): void {
    if (limitBytes === 0) return
    const parts = this.#engine?.leaveNote?.(limitBytes) ?? []
    if (parts.length > 0) this.#options.send({ type: 'note', parts })
  }

  #run({ id, accountId, work, trace }: Run): void {
    const whole = this.#packed.complete(id, work)
    const problem = deadlyPictureIn(whole, this.#deadly)
    if (problem === undefined) this.#engine?.run(id, accountId, whole, trace)
    else this.#options.send({ type: 'events', events: [{ id, error: errorData(problem) }] })
  }
}

export function requireVersion(version: number): void {
  if (version !== protocolVersion) throw new Error('server and engine are of different versions; restart inferd')
}
