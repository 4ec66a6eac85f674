/** Moderation by a chat model: each content is judged in a chat of its own, all of them on one bill. */
import type { ChatRequest } from '../core/chat.ts'
import { type Content, contentText } from '../core/content.ts'
import { ApiError } from '../core/errors.ts'
import type { InstalledModel } from '../core/model.ts'
import type { ModerateRequest, ModerationScores } from '../core/moderation.ts'
import { placeImages } from '../core/place-images.ts'
import { type Consumption, combined, type FinishEvent, nothingConsumed } from '../core/usage.ts'
import type { Work, WorkEvent } from '../core/work.ts'
import { wholeWork } from '../engines/protocol/packed-request.ts'
import type { Estimate } from '../engines/protocol/request-events.ts'
import type { EngineMeter, RequestContext, WorkEngines } from '../engines/protocol/work-engines.ts'
import { guardChat, readScores, verdictTokens } from './guard-chat.ts'

/**
 * Yields a verdict for each content. The first chat holds the price of all of them, so money never ends halfway. A
 * content without a verdict fails the whole request, which then costs nothing: nobody is told that it is harmless.
 */
export async function* moderate(
  engines: WorkEngines,
  model: InstalledModel,
  work: Work<'moderate'>,
  context: RequestContext,
): AsyncGenerator<WorkEvent<'moderate'>> {
  const contents = contentsOf(work)
  let done = nothingConsumed
  let isEstimated = false
  let isTold = false
  try {
    for (const [index, content] of contents.entries()) {
      const rest = contents.slice(index + 1)
      const meter = partMeter(context.meter, done, rest, () => {
        isTold = true
      })
      let answer = ''
      let finish: FinishEvent | undefined
      const onAgain = () => {
        answer = ''
      }
      const chat = { kind: 'chat', request: guardChat(content) } as const
      for await (const event of engines.run(model, chat, { ...context, meter, onAgain })) {
        if (event.type === 'start' && index === 0) yield event
        if (event.type === 'text-delta') answer += event.text
        if (event.type === 'finish') finish = event
      }
      if (finish === undefined) throw new Error('the engine ended without a finish event: this is a bug')
      done = plus(done, finish.usage)
      isEstimated ||= finish.isEstimated === true
      yield { type: 'verdict', scores: requireScores(answer, model) }
    }
    isTold = true
    yield { type: 'finish', usage: done, ...(isEstimated && { isEstimated }) }
  } finally {
    // A client that disconnects between two chats pays for those that were done.
    if (!isTold && context.signal.aborted && done !== nothingConsumed) context.meter.cancelled(done, isEstimated)
  }
}

function contentsOf(work: Work<'moderate'>): readonly Content[] {
  const request = wholeWork(work).request as ModerateRequest // of the same kind
  const plain: ChatRequest = { ...guardChat([]), ...request }
  return placeImages(plain).messages.map(({ content }) => content)
}

/** Returns the meter of one chat of several. It adds what is `done` to the request's whole, and the `rest` to holds. */
function partMeter(
  whole: EngineMeter,
  done: Consumption,
  rest: readonly Content[],
  onCancelled: () => void,
): EngineMeter {
  let around = done
  return {
    begin: async ({ least, most, ...estimate }) => {
      around = plus(done, mostOf(rest, most))
      const grant = await whole.begin({ ...estimate, least: plus(done, least), most: plus(around, most) })
      return { ...grant, limit: minus(grant.limit, around) }
    },
    extend: async () => {
      const grant = await whole.extend()
      return { ...grant, limit: minus(grant.limit, around) }
    },
    cancelled: (used, isEstimated) => {
      onCancelled()
      whole.cancelled(plus(done, used), isEstimated)
    },
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

function plus(a: Consumption, b: Consumption): Consumption {
  return combined(a, b, (one, other) => one + other)
}

function minus(a: Consumption, b: Consumption): Consumption {
  return combined(a, b, (one, other) => one - other)
}

function requireScores(answer: string, { manifest }: InstalledModel): ModerationScores {
  const scores = readScores(answer)
  if (scores !== undefined) return scores
  throw new ApiError(
    'engine',
    `Model '${manifest.id}' did not come to a verdict, so nothing is known of this content. Nothing was charged. If this happens again, the server's operator may name another model by the setting moderation-model.`,
    { code: 'engine_failed', cause: new Error(`it answered ${JSON.stringify(answer.slice(0, 200))}`) },
  )
}
