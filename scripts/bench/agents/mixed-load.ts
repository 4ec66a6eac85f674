/** Load of nine short chats per long document. */
import { makePrompt } from '../chat/prompts.ts'
import { type ChatTarget, type StreamedAnswer, streamChat } from '../chat/stream-chat.ts'
import type { ScriptOptions } from './agent-script.ts'

export interface MixedJob {
  readonly isLong: boolean
  readonly promptTokens: number
  readonly tokens: number
  readonly seed: number
}

export interface MixedAnswer {
  readonly isLong: boolean
  readonly answer: StreamedAnswer
}

const short = { promptTokens: 100, tokens: 24 }
/** At scale 1. */
const long = { promptTokens: 20_000, tokens: 480 }

/** Returns jobs of which every tenth reads a document. `scale` does not change the short chats. */
export function mixedJobs(count: number, { scale, seed }: Pick<ScriptOptions, 'scale' | 'seed'>): MixedJob[] {
  return Array.from({ length: count }, (_, index) => {
    const isLong = index % 10 === 5
    const { promptTokens, tokens } = isLong
      ? { promptTokens: Math.round(long.promptTokens * scale), tokens: Math.round(long.tokens * scale) }
      : short
    return { isLong, promptTokens, tokens, seed: seed + 500_000 + index }
  })
}

/** Runs the jobs. Each client takes the next job when its last one has ended. Rejects if any request fails. */
export async function runMixed(target: ChatTarget, jobs: readonly MixedJob[], clients: number): Promise<MixedAnswer[]> {
  const waiting = [...jobs]
  const answers: MixedAnswer[] = []
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const { isLong, promptTokens, tokens, seed } = job
      const prompt = makePrompt(promptTokens, seed)
      answers.push({ isLong, answer: await streamChat(target, { prompt, tokens, temperature: 0, seed }) })
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
  return answers
}
