/**
 * One request for vectors or scores, as its script says and once it is granted. The script is the first input or the query.
 * Without a model the result is the same for the same text, and alike for texts that are.
 */
import type { Scores, Vectors } from '../../core/texts.ts'
import { type Consumption, nothingConsumed } from '../../core/usage.ts'
import type { Work, WorkEvent } from '../../core/work.ts'
import type { Grant, RequestEvent } from '../protocol.ts'
import { GrantGate } from './grant-gate.ts'
import { type FakeAction, type FakeSideAction, performAction } from './script.ts'

type TextsWork = Work<'embed' | 'rerank'>
type TextsEvent = WorkEvent<TextsWork['kind']>

interface FakeTextsScript {
  /** Played once the work is granted. An `error` that comes first is raised before that, as of texts that are too long. */
  readonly script: readonly (FakeSideAction | Extract<FakeAction, { error: unknown }>)[]
  readonly promptTokens: number
  /** Tokens that are processed when a cancel comes during the script; absent: all. */
  readonly prefillTokens?: number
}

interface FakeTextsOptions {
  readonly id: number
  readonly work: TextsWork
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

/** Each word is a token; a document is read together with the query. */
function readTextsScript(work: TextsWork): FakeTextsScript {
  const defaults = { script: [], promptTokens: countTokens(work) }
  const first = work.kind === 'embed' ? work.request.inputs[0] : work.request.query
  if (typeof first !== 'string' || !first.startsWith('{"script":')) return defaults
  return { ...defaults, ...JSON.parse(first) }
}

function countTokens({ kind, request }: TextsWork): number {
  const counts =
    kind === 'embed'
      ? request.inputs.map((input) => (typeof input === 'string' ? wordsOf(input).length : input.length))
      : request.documents.map((document) => wordsOf(request.query).length + wordsOf(document).length)
  return counts.reduce((sum, count) => sum + count, 0)
}

function wordsOf(text: string): string[] {
  return text.match(/\S+/g) ?? []
}

/** `nativeDimensions`: numbers of a vector of which nothing is cut. */
function textsResult(work: TextsWork, nativeDimensions: number): Vectors | Scores {
  if (work.kind === 'rerank') {
    const { query, documents } = work.request
    return { type: 'scores', values: Float32Array.from(documents, (document) => shareOfWords(query, document)) }
  }
  const { inputs, dimensions = nativeDimensions } = work.request
  const values = new Float32Array(inputs.length * dimensions)
  for (const [index, input] of inputs.entries()) {
    values.set(unitVector(vectorOf(input, nativeDimensions).subarray(0, dimensions)), index * dimensions)
  }
  return { type: 'vectors', dimensions, values }
}

/** No number is 0, so that none is lost where the vector is cut. */
function vectorOf(input: string | readonly number[], dimensions: number): Float64Array {
  const vector = new Float64Array(dimensions).fill(1)
  const codes = typeof input === 'string' ? Array.from(input, (character) => character.codePointAt(0) ?? 0) : input
  for (const [position, code] of codes.entries()) {
    const at = (code + position) % dimensions
    vector[at] = (vector[at] ?? 0) + (code % 1_000)
  }
  return vector
}

function unitVector(vector: Float64Array): Float64Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** How many of the query's words the document has, 0 to 1. */
function shareOfWords(query: string, document: string): number {
  const wanted = new Set(wordsOf(query.toLowerCase()))
  const found = new Set(wordsOf(document.toLowerCase()))
  return wanted.size === 0 ? 0 : wanted.intersection(found).size / wanted.size
}
