/** Combined usage of the answers to one request, as far as their servers count. Pure. */
import { type Consumption, nothingConsumed, type Usage } from '../../../core/usage.ts'
import type { PromptEstimate } from '../work/prompt-estimate.ts'
import type { CountedTokens, CumulativeUsage } from './answer/usage-reader.ts'

/** Usage of one answer so far. */
export interface AnswerUsage extends Pick<Usage, 'completionTokens' | 'reasoningTokens'> {
  /** Undefined if the server did not count. */
  readonly prompt: Pick<Usage, 'promptTokens' | 'cachedTokens'> | undefined
  readonly isCounted: boolean
}

/** Counts made by the reader of an answer. */
interface Progress {
  readonly usage: CumulativeUsage | undefined
  readonly counted: CountedTokens
}

/**
 * Counts the tokens of one answer. A server may count at each event, only at the end, or never; between its counts
 * each piece counts as a token. Ignores counts above the length of the context.
 */
export class AnswerCounter {
  readonly #contextTokens: number
  #usage: CumulativeUsage | undefined
  /** The reader's counts at the time of the server's last count. */
  #countedThen: CountedTokens = { completionTokens: 0, reasoningTokens: 0 }

  constructor(contextTokens: number) {
    this.#contextTokens = contextTokens
  }

  read({ usage, counted }: Progress): AnswerUsage {
    if (
      usage !== undefined &&
      usage !== this.#usage &&
      usage.promptTokens + usage.completionTokens <= this.#contextTokens
    ) {
      this.#usage = usage
      this.#countedThen = counted
    }
    const last = this.#usage
    if (last === undefined) return { ...counted, prompt: undefined, isCounted: false }
    const sinceThen = counted.completionTokens - this.#countedThen.completionTokens
    const reasoningSince = counted.reasoningTokens - this.#countedThen.reasoningTokens
    return {
      completionTokens: last.completionTokens + sinceThen,
      reasoningTokens: last.reasoningTokens + reasoningSince,
      prompt: last,
      isCounted: sinceThen === 0,
    }
  }
}

/**
 * Returns the usage of one request's answers: each prompt counts once, each answer separately. Answers without any
 * event count as nothing.
 */
export function usageOfAnswers(
  answers: readonly (AnswerUsage | undefined)[],
  prompts: readonly Pick<PromptEstimate, 'usualTokens'>[],
): { readonly used: Consumption; readonly isEstimated: boolean } {
  const answersOfPrompt = answers.length / prompts.length
  let used = nothingConsumed
  let isEstimated = false
  for (const [index, prompt] of prompts.entries()) {
    const begun = answers
      .slice(index * answersOfPrompt, (index + 1) * answersOfPrompt)
      .filter((answer) => answer !== undefined)
    if (begun.length === 0) continue
    const counted = begun.flatMap((answer) => answer.prompt ?? [])
    if (counted.length < begun.length || begun.some(({ isCounted }) => !isCounted)) isEstimated = true
    const promptTokens =
      counted.length === 0 ? prompt.usualTokens : Math.max(...counted.map((each) => each.promptTokens))
    // Only one answer computed the uncached part; the others found it in the cache.
    const cachedTokens = counted.length === 0 ? 0 : Math.min(...counted.map((each) => each.cachedTokens))
    used = {
      ...used,
      promptTokens: used.promptTokens + promptTokens,
      cachedTokens: used.cachedTokens + cachedTokens,
      completionTokens: used.completionTokens + sumOf(begun.map((each) => each.completionTokens)),
      reasoningTokens: used.reasoningTokens + sumOf(begun.map((each) => each.reasoningTokens)),
    }
  }
  return { used, isEstimated }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
