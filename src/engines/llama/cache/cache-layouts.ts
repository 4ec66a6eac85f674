/** The context of a loaded model. Its KV cache layout is chosen at the load, and again between steps. */
import type { ReasonedLayout } from '../../../core/cache-layout.ts'
import type { NativeContext, NativeContextOptions } from '../native.ts'
import { type Demand, nextLayout } from './choose-layout.ts'

/** Latest ended requests whose lengths count. */
const rememberedRequests = 128
/** Expected tokens of an answer without a shorter limit. */
const expectedAnswerTokens = 128

/** Lengths of a running or waiting answer. */
export interface StreamLength {
  readonly promptTokens: number
  /** Tokens of the prompt and the answer so far. */
  readonly tokens: number
  /** Maximum tokens of the answer. */
  readonly answerTokens: number
}

interface CacheLayoutsOptions {
  readonly layouts: readonly [ReasonedLayout, ...ReasonedLayout[]]
  /** Lengths of the latest requests in tokens, as far as known. */
  readonly pastTokens: readonly number[]
  /** Creates a context. Throws if memory does not suffice. */
  readonly newContext: (layout: ReasonedLayout) => NativeContext
  readonly onFailure: (layout: ReasonedLayout, error: unknown) => void
}

export class CacheLayouts {
  readonly #options: CacheLayoutsOptions
  #layouts: readonly ReasonedLayout[]
  #current: ReasonedLayout
  #pastTokens: readonly number[]
  #context: NativeContext
  #changedAtStep = 0
  /** Tokens of the longest request that any layout holds. */
  readonly #longestTokens: number

  /** Throws if memory does not suffice for a context. */
  constructor(options: CacheLayoutsOptions) {
    const { layouts, pastTokens } = options
    this.#options = options
    this.#layouts = layouts
    this.#longestTokens = Math.max(...layouts.map(({ tokensEach }) => tokensEach))
    this.#pastTokens = this.#latest(pastTokens)
    const [first] = layouts
    const known = { longestTokens: longestOf(this.#pastTokens), meanTokens: meanOf(this.#pastTokens) }
    const demand = { ...known, streams: first.sequences, steps: Number.POSITIVE_INFINITY }
    this.#current = nextLayout(layouts, first, demand)
    this.#context = options.newContext(this.#current)
  }

  get context(): NativeContext {
    return this.#context
  }

  /** True if there is more than one layout. */
  get isVariable(): boolean {
    return this.#options.layouts.length > 1
  }

  get current(): ReasonedLayout {
    return this.#current
  }

  /**
   * Returns the layout to change to before the next step; undefined for none. `steps` is the number of steps so far.
   */
  next(streamsNow: () => readonly StreamLength[], steps: number): ReasonedLayout | undefined {
    if (this.#layouts.length === 1) return undefined
    const streams = streamsNow()
    if (streams.length === 0) return undefined
    const needs = streams.map(({ promptTokens, tokens, answerTokens }) =>
      Math.min(this.#longestTokens, Math.max(tokens, promptTokens + Math.min(answerTokens, expectedAnswerTokens))),
    )
    const demand: Demand = {
      longestTokens: longestOf([...needs, ...this.#pastTokens]),
      meanTokens: meanOf(needs),
      streams: streams.length,
      steps: steps - this.#changedAtStep,
    }
    const next = nextLayout(this.#layouts, this.#current, demand)
    return next === this.#current ? undefined : next
  }

  /** Records an ended answer with its tokens of prompt and answer. */
  noteEnded(tokens: number): void {
    this.#pastTokens = this.#latest([...this.#pastTokens, tokens])
  }

  /**
   * Replaces the context by one in the wanted layout, after closing it. If memory does not suffice, the new one has a
   * single cache. Throws if it does not suffice for that either.
   */
  async change(wanted: ReasonedLayout, steps: number): Promise<void> {
    this.#changedAtStep = steps
    await this.#context.close()
    try {
      this.#make(wanted)
    } catch (error) {
      this.#options.onFailure(wanted, error)
      this.#layouts = this.#layouts.filter((layout) => layout !== wanted)
      const last = this.#layouts.at(-1)
      if (last === undefined) throw error
      this.#make(last)
    }
  }

  /**
   * Returns the latest lengths, limited to the longest sequence: the last token of a request that filled it is never
   * decoded.
   */
  #latest(tokens: readonly number[]): readonly number[] {
    return tokens.slice(-rememberedRequests).map((each) => Math.min(each, this.#longestTokens))
  }

  #make(layout: ReasonedLayout): void {
    this.#context = this.#options.newContext(layout)
    this.#current = layout
  }
}

/** Options of a context in this layout. */
export function optionsIn(
  { isUnified, sequences, tokensEach }: ReasonedLayout,
  options: NativeContextOptions,
): NativeContextOptions {
  if (isUnified === options.kvUnified) return options
  return { ...options, contextTokens: tokensEach * sequences, sequences, kvUnified: isUnified }
}

function longestOf(tokens: readonly number[]): number {
  return Math.max(0, ...tokens)
}

function meanOf(tokens: readonly number[]): number {
  return tokens.length === 0 ? 0 : tokens.reduce((sum, each) => sum + each, 0) / tokens.length
}
