/** One request for vectors or scores, as its script says and once it is granted. */
import { type Consumption, nothingConsumed } from '../../core/usage.ts'
import type { Work, WorkEvent } from '../../core/work.ts'
import type { Grant, RequestEvent } from '../protocol.ts'
import { GrantGate } from './grant-gate.ts'
import { performAction } from './perform-action.ts'
import { textsResult } from './texts-result.ts'
import { type FakeTextsScript, readTextsScript } from './texts-script.ts'

type TextsEvent = WorkEvent<'embed' | 'rerank'>

export interface FakeTextsOptions {
  readonly id: number
  readonly work: Work<'embed' | 'rerank'>
  readonly nativeDimensions: number
  readonly send: (event: RequestEvent<TextsEvent>) => void
}

export class FakeTextsWork {
  readonly #options: FakeTextsOptions
  readonly #script: FakeTextsScript
  readonly #gate = new GrantGate(0, () => undefined)
  #state: 'waiting' | 'running' | 'computed' = 'waiting'

  constructor(options: FakeTextsOptions) {
    this.#options = options
    this.#script = readTextsScript(options.work)
  }

  grant({ isFinal }: Grant): void {
    this.#gate.give(0, isFinal)
  }

  cancel(): void {
    this.#gate.close()
  }

  /** What has been computed so far. */
  usage(): Consumption {
    const { promptTokens, prefillTokens = promptTokens } = this.#script
    return {
      ...nothingConsumed,
      promptTokens: { waiting: 0, running: prefillTokens, computed: promptTokens }[this.#state],
    }
  }

  /** Resolves with the request's last event. */
  async play(): Promise<RequestEvent<TextsEvent>> {
    const { id, work, nativeDimensions, send } = this.#options
    const { script, promptTokens } = this.#script
    const [first] = script
    if (first !== undefined && 'error' in first) return { id, error: first.error }
    const all = { ...nothingConsumed, promptTokens }
    send({ id, prepared: { least: all, most: all } })
    await this.#gate.opened()
    if (this.#gate.isClosed) return { id, cancelled: this.usage() }
    this.#state = 'running'
    send({ id, event: { type: 'start', promptTokens, cachedTokens: 0 } })
    for (const action of script) {
      if ('error' in action) return { id, error: action.error }
      await performAction(action, this.#gate)
      if (this.#gate.isClosed) return { id, cancelled: this.usage() }
    }
    this.#state = 'computed'
    send({ id, event: textsResult(work, nativeDimensions) })
    return { id, event: { type: 'finish', usage: this.usage() } }
  }
}
