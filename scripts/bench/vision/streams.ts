import { median, percentile } from '../../shared/statistics.ts'
import { makePrompt } from '../chat/prompts.ts'
import { type ChatTarget, streamChat, streamConversation } from '../chat/stream-chat.ts'
import { question, randomPicture } from './pictures.ts'

const [textStreams, otherStreams] = [6, 2]

/** Requests of two clients beside the six streams, repeated and always new: pictures, or texts of as many tokens. */
export type Beside = 'texts' | 'pictures'

/** Milliseconds between the tokens of six streams of text. */
export interface StreamFigures {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
  /** Answered requests per second of the two other clients. */
  readonly othersPerSecond: number
}

export interface StreamOptions {
  readonly beside: Beside
  /** Words of the other clients' texts. */
  readonly words: number
  /** Generated tokens of each of the six streams. */
  readonly tokens: number
  readonly seed: number
}

export async function measureStreams(target: ChatTarget, options: StreamOptions): Promise<StreamFigures> {
  const { beside, words, tokens, seed } = options
  const sampling = { temperature: 0.8, seed }
  const startMs = performance.now()
  let isOver = false
  let answered = 0
  const six = Array.from({ length: textStreams }, (_, stream) =>
    streamChat(target, { prompt: makePrompt(16, seed + stream), tokens, ...sampling }),
  )
  const others = Array.from({ length: otherStreams }, async (_, stream) => {
    for (let index = 0; !isOver; index++) {
      const other = seed + 1000 * (stream + 1) + index
      const message =
        beside === 'pictures'
          ? question([randomPicture(other)], makePrompt(8, other))
          : { role: 'user', content: makePrompt(words, other) }
      await streamConversation(target, { messages: [message], tokens: 4, ...sampling })
      if (!isOver) answered++
    }
  })
  const results = await Promise.all(six)
  isOver = true
  const seconds = (performance.now() - startMs) / 1000
  await Promise.all(others)
  const gapsMs = results.flatMap(({ arrivalsMs }) =>
    arrivalsMs.slice(1).map((ms, index) => ms - (arrivalsMs[index] ?? 0)),
  )
  return {
    p50Ms: median(gapsMs),
    p99Ms: percentile(gapsMs, 0.99),
    longestMs: Math.max(...gapsMs),
    othersPerSecond: answered / seconds,
  }
}
