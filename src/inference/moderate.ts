/** Moderation by a chat model: each content is judged in a chat of its own, all of them on one bill. */
import { type Content, contentText } from '../core/content.ts'
import { ApiError } from '../core/errors.ts'
import type { InstalledModel } from '../core/model.ts'
import type { ModerateRequest, ModerationScores } from '../core/moderation.ts'
import { placedMessages } from '../core/place-images.ts'
import { type Consumption, type FinishEvent, nothingConsumed, plusUse } from '../core/usage.ts'
import type { Work, WorkEvent } from '../core/work.ts'
import { wholeWork } from '../engines/protocol/packed-request.ts'
import type { Estimate } from '../engines/protocol/request-events.ts'
import { type EngineMeter, type RequestContext, unlimited, type WorkEngines } from '../engines/protocol/work-engines.ts'
import { guardChat, readScores, verdictTokens } from './guard-chat.ts'
import type { WorkMeter } from './work-meter.ts'

interface ModerateOptions {
  readonly engines: WorkEngines
  readonly model: InstalledModel
  readonly work: Work<'moderate'>
  readonly context: RequestContext
  /** Meter behind the one of the context. */
  readonly meter: WorkMeter
}

/**
 * Yields a verdict for each content. The first chat holds the price of all of them, so money never ends halfway. A
 * content without a verdict fails the whole request, which then costs nothing: nobody is told that it is harmless.
 */
export async function* moderate(options: ModerateOptions): AsyncGenerator<WorkEvent<'moderate'>> {
  const { engines, model, work, context, meter } = options
  const contents = contentsOf(work)
  for (const [index, content] of contents.entries()) {
    let answer = ''
    let finish: FinishEvent | undefined
    const onAgain = () => {
      answer = ''
    }
    const chat = { kind: 'chat', request: guardChat(content) } as const
    const chatMeter = meterBefore(contents.slice(index + 1), meter)
    for await (const event of engines.run(model, chat, { ...context, meter: chatMeter, onAgain })) {
      if (event.type === 'start' && index === 0) yield event
      if (event.type === 'text-delta') answer += event.text
      if (event.type === 'finish') finish = event
    }
    if (finish === undefined) throw new Error('the engine ended without a finish event: this is a bug')
    meter.passed(finish.usage, finish.isEstimated)
    yield { type: 'verdict', scores: requireScores(answer, model) }
  }
  const { before, isEstimated } = meter
  yield { type: 'finish', usage: before, ...(isEstimated && { isEstimated }) }
}

function contentsOf(work: Work<'moderate'>): readonly Content[] {
  const request = wholeWork(work).request as ModerateRequest // of the same kind
  return placedMessages(request).map(({ content }) => content)
}

/** Returns the meter of a chat that holds the price of the chats after it too, and grants it all that it may use. */
function meterBefore(rest: readonly Content[], meter: WorkMeter): EngineMeter {
  return {
    ...unlimited,
    begin: async (estimate) => {
      const { most } = estimate
      await meter.begin({ ...estimate, most: plusUse(most, mostOf(rest, most)) })
      return { limit: most, isFinal: true }
    },
    cancelled: (used, isEstimated) => meter.cancelled(used, isEstimated),
  }
}

/** Returns an upper bound for the chats of texts: no token is shorter than a byte, and all chats share one policy. */
function mostOf(contents: readonly Content[], { promptTokens }: Estimate['most']): Consumption {
  const bytes = contents.reduce((sum, content) => sum + Buffer.byteLength(contentText(content)), 0)
  return {
    ...nothingConsumed,
    promptTokens: contents.length * promptTokens + bytes,
    completionTokens: contents.length * verdictTokens,
  }
}

function requireScores(answer: string, { manifest }: InstalledModel): ModerationScores {
  const scores = readScores(answer)
  if (scores !== undefined) return scores
  throw new ApiError(
    'engine',
    `Model '${manifest.id}' did not come to a verdict, so nothing is known of this content. Nothing was charged. If this happens again, the server's operator may name another model by the setting moderation-model.`,
    { code: 'engine_failed', cause: new Error(`its answer of ${answer.length} characters is no verdict`) },
  )
}
