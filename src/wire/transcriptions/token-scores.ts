import type { TranscriptToken } from '../../core/speech.ts'

/** Token of vocabularies that write rare characters byte by byte. */
const byteToken = /^<0x([0-9A-F]{2})>$/i

/** Yields tokens as OpenAI's `logprobs` has them. */
export function* logprobsOf(tokens: readonly TranscriptToken[] = []): Generator<object> {
  for (const { text, logProbability } of tokens) {
    const byte = byteToken.exec(text)?.[1]
    yield {
      token: text,
      bytes: byte === undefined ? [...Buffer.from(text)] : [Number.parseInt(byte, 16)],
      logprob: logProbability,
    }
  }
}
