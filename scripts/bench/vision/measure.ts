import type { ServerPeer } from '../chat/peer.ts'
import { makePrompt } from '../chat/prompts.ts'
import { type ChatTarget, streamChat, streamConversation } from '../chat/stream-chat.ts'
import { question, randomPicture } from './pictures.ts'
import { measureRepeats, type RepeatFigures } from './repeats.ts'
import { type Beside, measureStreams, type StreamFigures } from './streams.ts'

export interface VisionRound {
  readonly peer: string
  readonly repeats: readonly RepeatFigures[]
  readonly streams: Readonly<Record<Beside, StreamFigures>>
  readonly picturesPerSecond: number
}

export interface VisionPlan {
  /** Pictures that are sent again. */
  readonly pictures: number
  /** Generated tokens per stream. */
  readonly tokens: number
}

const clients = 4

/** Starts the peer, measures every figure once, and stops it. All peers of a round get the same pictures. */
export async function measureRound(peer: ServerPeer, round: number, plan: VisionPlan): Promise<VisionRound> {
  await peer.start()
  try {
    const target = peer.target()
    const seed = 1_000_000 * (round + 1)
    const warm = await measureRepeats(target, seed)
    const repeats: RepeatFigures[] = []
    for (let index = 1; index <= plan.pictures; index++) repeats.push(await measureRepeats(target, seed + index))
    const words = await wordsOf(target, warm.promptTokens)
    const streams = (beside: Beside, offset: number) =>
      measureStreams(target, { beside, words, tokens: plan.tokens, seed: seed + offset })
    const withTexts = () => streams('texts', 100_000)
    const withPictures = () => streams('pictures', 200_000)
    // In reverse order in every second round, so that a drift of the machine favours neither.
    const before = round % 2 === 0 ? await withTexts() : undefined
    const pictures = await withPictures()
    const texts = before ?? (await withTexts())
    const picturesPerSecond = await measureRate(target, plan.pictures, seed + 300_000)
    return { peer: peer.name, repeats, streams: { texts, pictures }, picturesPerSecond }
  } finally {
    await peer.stop()
  }
}

/** Returns the number of words in a prompt of this many tokens. */
async function wordsOf(target: ChatTarget, tokens: number): Promise<number> {
  const sample = 100
  const job = { prompt: makePrompt(sample, 1), tokens: 1, temperature: 0, seed: 1 }
  const { promptTokens } = await streamChat(target, job)
  return Math.round((tokens * sample) / promptTokens)
}

/** Returns the pictures per second when some clients send new pictures and nothing else runs. */
async function measureRate(target: ChatTarget, each: number, seed: number): Promise<number> {
  const startMs = performance.now()
  const client = async (_: unknown, number: number) => {
    for (let index = 0; index < each; index++) {
      const url = randomPicture(seed + number * each + index)
      const job = { messages: [question([url], 'What is it?')], tokens: 1, temperature: 0, seed }
      await streamConversation(target, job)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return (1000 * clients * each) / (performance.now() - startMs)
}
