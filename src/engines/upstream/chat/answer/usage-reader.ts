/** Server's token counts of one answer. */
import { isObject, type JsonObject, type JsonValue } from '../../../../core/json.ts'

/** Tokens of one answer as counted by the server so far: whole, finite, at least 0, and never decreasing. */
export interface CumulativeUsage {
  readonly promptTokens: number
  /** At most `promptTokens`. */
  readonly cachedTokens: number
  readonly completionTokens: number
  /** At most `completionTokens`. */
  readonly reasoningTokens: number
}

/** Tokens counted by the answer's pieces, for servers without counts. */
export interface CountedTokens {
  readonly completionTokens: number
  /** Part of the completion tokens that is thinking. */
  readonly reasoningTokens: number
}

type Dimension = keyof CumulativeUsage

/** Highest credible count. */
const tokensLimit = 1_000_000_000

/** Paths of each count in servers' chunks. The first existing one is used. */
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
  /** True once the server has reported an impossible number, after which none of its numbers is used. */
  #isLie = false
  #saysMore = false

  /** Reads the counts of a chunk in any place. Returns whether there are any. */
  note(chunk: JsonObject): boolean {
    this.#saysMore = false
    if (isObject(chunk.usage)) this.#noteUsage(chunk.usage)
    if (isObject(chunk.timings)) this.#noteTimings(chunk.timings)
    this.#raise('promptTokens', chunk.tokens_evaluated)
    this.#raise('completionTokens', chunk.tokens_predicted)
    return this.#saysMore
  }

  /**
   * Returns the usage; undefined if the server does not count or its counts are impossible: no prompt, nothing
   * generated although pieces came, or invalid numbers. `counted`: counts by pieces, for those that the server omits.
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

  /** Reads llama-server's counts, in which cached tokens are not part of the processed ones. */
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
