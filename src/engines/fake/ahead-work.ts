/** A request that is paid in advance and plays its script once granted. */
import type { DrawRequest } from '../../core/draw.ts'
import { type Consumption, nothingConsumed } from '../../core/usage.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { Grant, RequestEvent } from '../protocol/request-events.ts'
import { GrantGate } from './grant-gate.ts'
import { type FakeError, type FakeSideAction, performAction } from './script.ts'

export type AheadKind = 'embed' | 'rerank' | 'transcribe' | 'diarize' | 'speak' | 'draw'

type Output = Exclude<WorkEvent<AheadKind>, { type: 'start' | 'finish' }>

/** Actions in a script of work other than chat. */
export type AheadAction = FakeSideAction | FakeError

export interface AheadPlan {
  /**
   * Actions to play once the work is granted. A leading `error` is raised before that, as for texts that are too long.
   */
  readonly script: readonly (AheadAction | { readonly output: Output })[]
  /** Consumption of the whole work. */
  readonly consumed: Consumption
  /** Returns the consumption after `outputs` outputs. After the last output it is `consumed` instead. */
  readonly consumedAfter: (outputs: number) => Consumption
}

interface AheadOptions {
  readonly id: number
  readonly plan: AheadPlan
  readonly send: (event: RequestEvent<WorkEvent<AheadKind>>) => void
}

export class FakeAheadWork {
  readonly #options: AheadOptions
  readonly #gate = new GrantGate(0, () => undefined)
  #state: 'waiting' | 'running' | 'computed' = 'waiting'
  #outputs = 0
  #paused: PromiseWithResolvers<void> | undefined

  constructor(options: AheadOptions) {
    this.#options = options
  }

  grant({ isFinal }: Grant): void {
    this.#gate.give(0, isFinal)
  }

  cancel(): void {
    this.#gate.close()
  }

  /** Stops sending outputs until resumed. */
  pause(isPaused: boolean): void {
    if (isPaused) this.#paused ??= Promise.withResolvers()
    else {
      this.#paused?.resolve()
      this.#paused = undefined
    }
  }

  /** Returns the consumption so far. */
  usage(): Consumption {
    const { consumed, consumedAfter } = this.#options.plan
    return { waiting: nothingConsumed, running: consumedAfter(this.#outputs), computed: consumed }[this.#state]
  }

  /** Resolves with the request's last event. */
  async play(): Promise<RequestEvent<WorkEvent<AheadKind>>> {
    const { id, plan, send } = this.#options
    const { script, consumed } = plan
    const [first] = script
    if (first !== undefined && 'error' in first) return { id, error: first.error }
    send({ id, prepared: { least: consumed, most: consumed } })
    await this.#gate.opened()
    if (this.#gate.isClosed) return { id, cancelled: this.usage() }
    this.#state = 'running'
    send({ id, event: { type: 'start', promptTokens: consumed.promptTokens, cachedTokens: 0 } })
    for (const action of script) {
      if ('error' in action) return { id, error: action.error }
      if ('output' in action) await this.#send(action.output)
      else await performAction(action, this.#gate)
      if (this.#gate.isClosed) return { id, cancelled: this.usage() }
    }
    this.#state = 'computed'
    return { id, event: { type: 'finish', usage: this.usage() } }
  }

  async #send(event: Output): Promise<void> {
    while (this.#paused !== undefined && !this.#gate.isClosed)
      await Promise.race([this.#paused.promise, this.#gate.closed()])
    if (this.#gate.isClosed) return
    this.#outputs++
    this.#options.send({ id: this.#options.id, event })
    await Bun.sleep(0) // messages of the server come between two outputs
  }
}

/** Red pixel as PNG in base64. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'

/** Returns the plan of pictures: red pixels, one after the other. */
export function planDraw({ count }: DrawRequest): AheadPlan {
  return {
    script: Array.from({ length: count }, () => ({ output: { type: 'image', base64: pixel } })),
    consumed: { ...nothingConsumed, images: count },
    consumedAfter: (images) => ({ ...nothingConsumed, images }),
  }
}
