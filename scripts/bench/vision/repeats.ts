import { firstTokenMs } from '../chat/job.ts'
import { type ChatTarget, streamConversation } from '../chat/stream-chat.ts'
import { question, randomPicture } from './pictures.ts'

/** Milliseconds to the first token of requests with one picture, sent one after the other. */
export interface RepeatFigures {
  readonly firstMs: number
  /** Same request again. */
  readonly againMs: number
  readonly againCachedTokens: number
  /** The same picture and another question. */
  readonly otherQuestionMs: number
  /** Next turn of the conversation. */
  readonly nextTurnMs: number
  /** Same picture after another text: the prompt cache does not help, but the picture is encoded already. */
  readonly behindOtherTextMs: number
  readonly promptTokens: number
}

export async function measureRepeats(target: ChatTarget, seed: number): Promise<RepeatFigures> {
  const url = randomPicture(seed)
  const ask = (...messages: readonly unknown[]) =>
    streamConversation(target, { messages, tokens: 8, temperature: 0, seed })
  const opening = question([url], 'What is to be seen here?')
  const first = await ask(opening)
  const again = await ask(opening)
  const otherQuestion = await ask(question([url], 'How many colours are there?'))
  const nextTurn = await ask(opening, { role: 'assistant', content: first.text }, question([], 'And what else?'))
  const behindOtherText = await ask({ role: 'system', content: `Picture number ${seed}.` }, opening)
  return {
    firstMs: firstTokenMs(first),
    againMs: firstTokenMs(again),
    againCachedTokens: again.cachedTokens,
    otherQuestionMs: firstTokenMs(otherQuestion),
    nextTurnMs: firstTokenMs(nextTurn),
    behindOtherTextMs: firstTokenMs(behindOtherText),
    promptTokens: first.promptTokens,
  }
}
