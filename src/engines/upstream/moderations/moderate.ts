/** Judges texts by moderation models of upstream servers, which have an endpoint of their own. */
import { contentText } from '../../../core/content.ts'
import { isObject, type JsonObject } from '../../../core/json.ts'
import { type ModerationCategory, moderationCategories, type Verdict } from '../../../core/moderation.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import { malformedAnswer } from '../http/failure.ts'
import { requestJson } from '../http/request-json.ts'
import { guessedTokens, sum, textTokensLimit } from '../texts/batches.ts'
import { promptTokensOf } from '../texts/read-usage.ts'
import type { PrepareWork } from '../work/upstream-work.ts'

/** Most bytes of an answer for each text. */
const resultBytes = 16 * 1024

/** Categories that OpenAI's older models do not have. */
const newer: readonly ModerationCategory[] = ['illicit', 'illicit/violent']

export const prepareModerate: PrepareWork<'moderate'> = ({ messages }, { modelThere }) => {
  const input = messages.map(({ content }) => contentText(content))
  const guessed = sum(input.map(guessedTokens))
  return {
    estimate: {
      least: { ...nothingConsumed, promptTokens: input.length },
      most: { ...nothingConsumed, promptTokens: sum(input.map(textTokensLimit)) },
    },
    prefix: '',
    run: (link) =>
      link.call(async (endpoint) => {
        // If the client disconnects, texts that a server has begun are charged.
        link.used({ ...nothingConsumed, promptTokens: guessed }, true)
        const call = { ...endpoint.to('/moderations'), method: 'POST', body: { model: modelThere, input } } as const
        const answer = await requestJson(call, input.length * resultBytes)
        const verdicts = readVerdicts(answer, input.length)
        const counted = promptTokensOf(answer)
        link.used({ ...nothingConsumed, promptTokens: counted ?? guessed }, counted === undefined)
        endpoint.emit(verdicts)
      }),
  }
}

/** Returns the verdicts. Throws UpstreamFailure if one is missing or has another form. */
export function readVerdicts(answer: unknown, count: number): readonly Verdict[] {
  const results: unknown = isObject(answer) ? answer.results : undefined
  if (!Array.isArray(results) || results.length !== count) throw malformedAnswer('another number of verdicts')
  return results.map((result: unknown) => {
    if (!isObject(result) || !isObject(result.categories) || !isObject(result.category_scores))
      throw malformedAnswer('something that is no verdict')
    return readVerdict(result, result.categories, result.category_scores)
  })
}

/** Throws for a content that is flagged for none of the categories that clients know. */
function readVerdict({ flagged }: JsonObject, categories: JsonObject, given: JsonObject): Verdict {
  const scores = moderationCategories.map((name) => [name, scoreOf(name, given)] as const)
  const applying = moderationCategories.filter((name) => categories[name] === true)
  if (typeof flagged !== 'boolean' || (flagged && applying.length === 0))
    throw malformedAnswer('a verdict by other categories')
  return { type: 'verdict', scores: Object.fromEntries(scores) as Verdict['scores'], applying } // one entry for each
}

function scoreOf(name: ModerationCategory, scores: JsonObject): number {
  const score = scores[name] ?? (newer.includes(name) ? 0 : undefined)
  if (typeof score === 'number' && score >= 0 && score <= 1) return score
  throw malformedAnswer('a verdict by other categories')
}
