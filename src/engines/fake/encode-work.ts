/** One request for vectors or scores, as its script says and once it is granted. */
import type { EncodeEvent, EncodeRequest } from '../../core/encode.ts'
import type { Usage } from '../../core/usage.ts'
import type { RequestEvent, TokenGrant } from '../protocol.ts'
import { encodeResult } from './encode-result.ts'
import { type FakeEncodeScript, readEncodeScript } from './encode-script.ts'
import { GrantGate } from './grant-gate.ts'
import { performAction } from './perform-action.ts'

export interface FakeEncodeOptions {
  readonly id: number
  readonly request: EncodeRequest
  readonly nativeDimensions: number
  readonly send: (event: RequestEvent<EncodeEvent>) => void
}

export class FakeEncodeWork {
  readonly #options: FakeEncodeOptions
  readonly #script: FakeEncodeScript
  readonly #gate = new GrantGate(0, () => undefined)
  #state: 'waiting' | 'running' | 'encoded' = 'waiting'

  constructor(options: FakeEncodeOptions) {
    this.#options = options
    this.#script = readEncodeScript(options.request)
  }

  grant(grant: TokenGrant): void {
    this.#gate.give(grant)
  }

  cancel(): void {
    this.#gate.close()
  }

  /** What has been computed so far. */
  usage(): Usage {
    const { promptTokens, prefillTokens = promptTokens } = this.#script
    const computed = { waiting: 0, running: prefillTokens, encoded: promptTokens }[this.#state]
    return { promptTokens: computed, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 }
  }

  /** Resolves with the request's last event. */
  async play(): Promise<RequestEvent<EncodeEvent>> {
    const { id, request, nativeDimensions, send } = this.#options
    const { script, promptTokens } = this.#script
    const [first] = script
    if (first !== undefined && 'error' in first) return { id, error: first.error }
    send({ id, prepared: { promptTokens, outputTokens: 0 } })
    await this.#gate.opened()
    if (this.#gate.isClosed) return { id, cancelled: this.usage() }
    this.#state = 'running'
    send({ id, event: { type: 'start', promptTokens, cachedTokens: 0 } })
    for (const action of script) {
      if ('error' in action) return { id, error: action.error }
      await performAction(action, this.#gate)
      if (this.#gate.isClosed) return { id, cancelled: this.usage() }
    }
    this.#state = 'encoded'
    const result = encodeResult(request, nativeDimensions)
    return { id, event: { type: 'encoded', result, usage: this.usage() } }
  }
}
