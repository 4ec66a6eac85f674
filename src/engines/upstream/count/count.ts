/** Length of a chat's prompt as counted by its servers, or estimated if they cannot count. */
import { picturesOf } from '../../../core/chat.ts'
import { placeImages } from '../../../core/place-images.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import { chatCalls } from '../chat/request/chat-calls.ts'
import { UpstreamFailure } from '../http/failure.ts'
import { requestJson } from '../http/request-json.ts'
import type { ServerCall } from '../server-path.ts'
import { estimatePrompts } from '../work/prompt-estimate.ts'
import type { PrepareWork, UpstreamEndpoint } from '../work/upstream-work.ts'
import { type CountWay, countWays } from './count-ways.ts'

/** Size limit. Servers return all tokens of the prompt. */
const answerBytesLimit = 64 * 1024 * 1024

/** Statuses of servers that cannot count, or cannot count this prompt. */
const unservedStatus: ReadonlySet<number | undefined> = new Set([400, 404, 405, 422, 501])

export const prepareCount: PrepareWork<'count'> = (given, { flavor, modelThere, cacheSalt }) => {
  const request = placeImages(given)
  const way = countWays[flavor]
  const estimatedTokens = estimatePrompts(request).reduce((sum, { usualTokens }) => sum + usualTokens, 0)
  // Servers count only texts: the tokens of a picture depend on their model.
  const isCountable = request.prompts === undefined && picturesOf(request.messages).length === 0
  return {
    estimate: { least: nothingConsumed, most: nothingConsumed },
    prefix: '',
    run: async (link) => {
      let promptTokens: number | undefined
      if (way !== undefined && isCountable) {
        const options = { flavor, model: modelThere, maxTokens: 1, cacheSalt, pictureUrl: () => '' }
        const body = chatCalls({ ...request, choices: 1 }, options)[0]?.body ?? {}
        promptTokens = await link.call((endpoint) => countAt(endpoint, way, way.first(request, body)))
      }
      link.started({ promptTokens: promptTokens ?? estimatedTokens, cachedTokens: 0 })
    },
  }
}

/** Returns the length as counted by a server; undefined if the server does not report it. */
async function countAt(
  endpoint: UpstreamEndpoint<never>,
  way: CountWay,
  first: ServerCall,
): Promise<number | undefined> {
  try {
    for (let call = first; ; ) {
      const { body, ...place } = call
      const next = way.next(await requestJson({ ...endpoint.to(place), method: 'POST', body }, answerBytesLimit))
      if (typeof next !== 'object') return next
      call = next
    }
  } catch (error) {
    if (error instanceof UpstreamFailure && unservedStatus.has(error.status)) return undefined
    throw error
  }
}
