import type { SessionThread } from '../onnx/session/session-thread.ts'
import type { Reading, ThreadResult } from './diarization-thread.ts'
import { Turnstile } from './turnstile.ts'

type Session = SessionThread<Reading, ThreadResult>

/** Sessions of one model, which has one input and one output. Each computes one run at a time; further runs wait. */
export class SessionPool {
  readonly #idle: Session[]
  readonly #own: Turnstile
  readonly #shared: Turnstile
  readonly #output: string
  readonly #input: string

  /** `turnstile` is passed by the runs of several models. Throws where this one takes more than one tensor. */
  constructor(sessions: readonly [Session, ...(readonly Session[])], turnstile: Turnstile) {
    const [{ inputs, outputs }] = sessions
    const [input, ...others] = inputs
    const [output] = outputs
    if (input?.type !== 'float32' || others.length > 0) {
      const names = inputs.map(({ name, type }) => `${name} (${type})`).join(', ')
      throw new Error(`it has the inputs ${names}, and one of single-precision numbers is known here`)
    }
    if (output === undefined) throw new Error('it has no output')
    this.#idle = [...sessions]
    this.#own = new Turnstile(sessions.length)
    this.#shared = turnstile
    this.#output = output
    this.#input = input.name
  }

  /** `data` is gone afterwards. Rejects with what ONNX Runtime says. */
  async run(data: Float32Array, shape: readonly number[], reading: Reading): Promise<ThreadResult> {
    return this.#own.pass(() => this.#shared.pass(() => this.#runIdle(data, shape, reading)))
  }

  async #runIdle(data: Float32Array, shape: readonly number[], reading: Reading): Promise<ThreadResult> {
    const session = this.#idle.pop()
    if (session === undefined) throw new Error('more runs than sessions: this is a bug')
    try {
      const feeds = [{ name: this.#input, type: 'float32', shape, data }] as const
      return await session.run({ feeds, output: this.#output }, reading)
    } finally {
      this.#idle.push(session)
    }
  }
}
