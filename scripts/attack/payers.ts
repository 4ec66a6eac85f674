/** Requests of the watched paying client. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { streamChat } from '../bench/chat/stream-chat.ts'

/** Sends one request. Resolves with the milliseconds to its first output, and to its end. Rejects if it fails. */
export type AskPaid = () => Promise<{ readonly firstMs: number; readonly totalMs: number }>

export interface PayerTarget {
  /** Ends with `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
}

interface PayerKind {
  /** Model that is loaded at the start. */
  readonly preload: string
  readonly ask: (target: PayerTarget) => AskPaid
}

const question = { prompt: 'What is the capital of France?', tokens: 16, temperature: 0, seed: 1 }
const speech = join(import.meta.dir, '../../src/engines/speech/fixtures/two-sentences.wav')

export const payers = {
  chat: {
    preload: 'starter-chat',
    ask: (target) => async () => {
      const { totalMs, arrivalsMs } = await streamChat({ ...target, model: 'inferd/starter-chat' }, question)
      return { firstMs: arrivalsMs[0] ?? totalMs, totalMs }
    },
  },
  /** A recording of four seconds, in whole answers. */
  transcription: {
    preload: 'starter-stt',
    ask: ({ baseUrl, apiKey }) => {
      const recording = new Blob([readFileSync(speech)])
      return async () => {
        const form = new FormData()
        form.append('model', 'inferd/starter-stt')
        form.append('file', recording, 'speech.wav')
        const begunMs = performance.now()
        const headers = { authorization: `Bearer ${apiKey}` }
        const answer = await fetch(`${baseUrl}/audio/transcriptions`, { method: 'POST', headers, body: form })
        const text = await answer.text()
        if (answer.status !== 200) throw new Error(`${answer.status} ${text}`)
        const totalMs = performance.now() - begunMs
        return { firstMs: totalMs, totalMs }
      }
    },
  },
} as const satisfies Record<string, PayerKind>
