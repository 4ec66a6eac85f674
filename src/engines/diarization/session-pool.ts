import type { SessionThread } from '../onnx/session/session-thread.ts'
import { SharedRuns } from '../shared/shared-runs.ts'
import type { Reading, ThreadResult } from './diarization-thread.ts'
import { Turnstile } from './turnstile.ts'

type Session = SessionThread<Reading, ThreadResult>

/** One row that waits to be computed. */
interface Row {
  readonly data: Float32Array
  readonly shape: readonly number[]
  readonly reading: Reading
  readonly answer: PromiseWithResolvers<ThreadResult>
}

/**
 * Sessions of one model, which has one input and one output. Each computes one run at a time; waiting rows of one
 * shape are computed together, at most `rowsTogether` in a run.
 */
export class SessionPool {
  readonly #idle: Session[]
  readonly #own: Turnstile
  readonly #shared: Turnstile
  readonly #output: string
  readonly #input: string
  readonly #runs: SharedRuns<Row, ThreadResult>
  /** Rows by shape and reading, in the order in which they came. */
  readonly #waiting = new Map<string, Row[]>()

  /**
   * Creates a pool of sessions. Pools share the `turnstile`. `rowsTogether` applies only if the model takes any number
   * of rows. Throws if the model has several inputs.
   */
  constructor(sessions: readonly [Session, ...(readonly Session[])], turnstile: Turnstile, rowsTogether = 1) {
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
    this.#runs = new SharedRuns(input.shape[0] === -1 ? rowsTogether : 1, (rows: readonly Row[]) =>
      this.#runTogether(rows),
    )
  }

  /** Computes one row, whose `shape` begins with 1. Detaches `data`. Rejects with ONNX Runtime's error. */
  async run(data: Float32Array, shape: readonly number[], reading: Reading): Promise<ThreadResult> {
    const row: Row = { data, shape, reading, answer: Promise.withResolvers() }
    const key = `${reading} ${shape.join(' ')}`
    const waiting = this.#waiting.get(key)
    if (waiting === undefined) this.#waiting.set(key, [row])
    else waiting.push(row)
    void this.#own.pass(() => this.#shared.pass(() => this.#runNext(key)))
    return row.answer.promise
  }

  /** Computes the first waiting rows of a shape, if any are left. */
  async #runNext(key: string): Promise<void> {
    const waiting = this.#waiting.get(key) ?? []
    const rows = waiting.splice(0, this.#runs.limit)
    if (waiting.length === 0) this.#waiting.delete(key)
    const results = await this.#runs.compute(rows)
    for (const [index, { answer }] of rows.entries()) {
      const result = results[index]
      if (result?.status === 'fulfilled') answer.resolve(result.value)
      else answer.reject(result?.reason)
    }
  }

  /** Computes rows of one shape and reading. */
  async #runTogether(rows: readonly Row[]): Promise<readonly ThreadResult[]> {
    const [first] = rows
    if (first === undefined) return []
    const { data, shape, reading } = first
    if (rows.length === 1) return [await this.#compute(data, shape, reading)]
    const all = new Float32Array(rows.length * data.length)
    for (const [index, row] of rows.entries()) all.set(row.data, index * data.length)
    const result = await this.#compute(all, [rows.length, ...shape.slice(1)], reading)
    const [, ...rest] = result.shape
    const length = result.values.length / rows.length
    return rows.map((_, index) => ({
      shape: [1, ...rest],
      values: result.values.slice(index * length, (index + 1) * length),
    }))
  }

  async #compute(data: Float32Array, shape: readonly number[], reading: Reading): Promise<ThreadResult> {
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
