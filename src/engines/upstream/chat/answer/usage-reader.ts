/** What a server says of the tokens of one answer. */
import { isObject, type JsonObject, type JsonValue } from '../../../../core/json.ts'

/** Tokens of one answer as the server counts them so far: whole, finite, at least 0, and never smaller than before. */
export interface CumulativeUsage {
  readonly promptTokens: number
  /** At most `promptTokens`. */
  readonly cachedTokens: number
  readonly completionTokens: number
  /** At most `completionTokens`. */
  readonly reasoningTokens: number
}

/** Tokens that the answer's own pieces show, for servers that count none. */
export interface CountedTokens {
  readonly completionTokens: number
  /** Those of them that are thinking. */
  readonly reasoningTokens: number
}

type Dimension = keyof CumulativeUsage

/** No context holds more. */
const tokensLimit = 1_000_000_000

/** Where servers write each number, the first that is there counts. */
const places: Readonly<Record<Dimension, readonly (readonly string[])[]>> = {
  promptTokens: [['prompt_tokens'], ['input_tokens']],
  cachedTokens: [
    ['prompt_tokens_details', 'cached_tokens'],
    ['input_tokens_details', 'cached_tokens'],
    ['prompt_cache_hit_tokens'],
  ],
  completionTokens: [['completion_tokens'], ['output_tokens']],
  reasoningTokens: [
    ['completion_tokens_details', 'reasoning_tokens'],
    ['output_tokens_details', 'reasoning_tokens'],
    ['reasoning_tokens'],
  ],
}

export class UsageReader {
  readonly #tokens: Partial<Record<Dimension, number>> = {}
  /** The server has stated an impossible number: none of its numbers is believed. */
  #isLie = false
  #saysMore = false

  /** Reads the counts of a chunk, wherever they stand. Returns whether there are any. */
  note(chunk: JsonObject): boolean {
    this.#saysMore = false
    if (isObject(chunk.usage)) this.#noteUsage(chunk.usage)
    if (isObject(chunk.timings)) this.#noteTimings(chunk.timings)
    this.#raise('promptTokens', chunk.tokens_evaluated)
    this.#raise('completionTokens', chunk.tokens_predicted)
    return this.#saysMore
  }

  /**
   * Undefined where the server does not count, or counts what cannot be: no prompt, nothing generated where pieces came, numbers
   * that are none. `counted`: by its pieces, for what it leaves out of its own count.
   */
  usage(counted: CountedTokens): CumulativeUsage | undefined {
    const { promptTokens = 0, cachedTokens = 0, completionTokens } = this.#tokens
    if (this.#isLie || promptTokens === 0 || completionTokens === undefined) return undefined
    if (completionTokens === 0 && counted.completionTokens > 1) return undefined
    const reasoningTokens = this.#tokens.reasoningTokens ?? counted.reasoningTokens
    return {
      promptTokens,
      cachedTokens: Math.min(cachedTokens, promptTokens),
      completionTokens,
      reasoningTokens: Math.min(reasoningTokens, completionTokens),
    }
  }

  #noteUsage(usage: JsonObject): void {
    for (const [dimension, paths] of Object.entries(places)) {
      const stated = paths.map((path) => valueAt(usage, path)).find((value) => value !== undefined && value !== null)
      this.#raise(dimension as Dimension, stated)
    }
  }

  /** llama-server's: what it took from its cache is no part of what it processed. */
  #noteTimings({ prompt_n: processed, cache_n: cached = 0, predicted_n: predicted }: JsonObject): void {
    this.#raise('completionTokens', predicted)
    if (typeof processed !== 'number' || typeof cached !== 'number') return
    this.#raise('cachedTokens', cached)
    this.#raise('promptTokens', processed + cached)
  }

  #raise(dimension: Dimension, value: JsonValue | undefined): void {
    if (value === undefined || value === null) return
    this.#saysMore = true
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > tokensLimit) this.#isLie = true
    else this.#tokens[dimension] = Math.max(value, this.#tokens[dimension] ?? 0)
  }
}

function valueAt(value: JsonObject, [first = '', ...rest]: readonly string[]): JsonValue | undefined {
  const inner = value[first]
  if (rest.length === 0) return inner
  return isObject(inner) ? valueAt(inner, rest) : undefined
}
