import { expect, test } from 'bun:test'
import { UpstreamFailure } from '../http/failure.ts'
import { type LengthRefusal, lengthRefusal, smallerLimit } from './length-refusal.ts'

function refused(detail: string, status = 400): LengthRefusal | undefined {
  return lengthRefusal(
    new UpstreamFailure('status', `the server answers with the status ${status}`, { status, detail }),
  )
}

/** Refusals in each server's own words. */
const said: readonly (readonly [detail: string, context: number | undefined, prompt: number | undefined])[] = [
  [
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (1000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
    4096,
    1000,
  ],
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your request has 1000 input tokens (8000 > 4096 - 1000).",
    4096,
    1000,
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 64 output tokens and your prompt contains 10000 input tokens, for a total of 10064 tokens.",
    8192,
    10_000,
  ],
  // This server stops counting once the sum is too large.
  [
    "This model's maximum context length is 8192 tokens. However, you requested 64 output tokens and your prompt contains at least 8129 input tokens, for a total of at least 8193 tokens.",
    8192,
    undefined,
  ],
  ['max_completion_tokens=131072 cannot be greater than max_model_len=max_total_tokens=65536', 65_536, undefined],
  [
    "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 1000 tokens from the input messages and 4000 tokens for the completion.",
    4096,
    1000,
  ],
  ["The input (5000 tokens) is longer than the model's context length (4096 tokens).", 4096, 5000],
  [
    '{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}',
    4096,
    5000,
  ],
  ['{"error":{"code":400,"type":"exceed_context_size_error"}}', undefined, undefined],
  [
    'The sum of prompt length (4000) and query length (0) max_tokens (2048) should not exceed max_seq_len (4096)',
    4096,
    4000,
  ],
  [
    '{"error":{"message":"This model\'s maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","code":"context_length_exceeded"}}',
    8192,
    9000,
  ],
]

/** Refusals of another inferd, for messages and for a raw prompt. */
const ours: typeof said = [
  [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in at least 9000 tokens.",
    8192,
    9000,
  ],
  ["This model's maximum context length is 8192 tokens. However, 'prompt' resulted in 9000 tokens.", 8192, 9000],
]

test.each([...said, ...ours])('%s', (detail, contextTokens, promptTokens) => {
  expect(refused(detail)).toEqual({ contextTokens, promptTokens, answerTokens: undefined })
})

test('a limit of answers is one too', () => {
  const detail =
    'max_tokens is too large: 99999. This model supports at most 16384 completion tokens, whereas you provided 99999.'
  expect(refused(detail)?.answerTokens).toBe(16_384)
})

test('other refusals and failures are none', () => {
  expect(refused('Extra inputs are not permitted: length')).toBeUndefined()
  expect(refused("This model's maximum context length is 4096 tokens", 401)).toBeUndefined()
  expect(lengthRefusal(new UpstreamFailure('cut', 'cut'))).toBeUndefined()
})

const none: LengthRefusal = { contextTokens: undefined, promptTokens: undefined, answerTokens: undefined }

test('the next try has what fits, by the numbers of the server', () => {
  expect(smallerLimit({ ...none, contextTokens: 4096, promptTokens: 1000 }, 4000, 5000)).toBe(3096)
  expect(smallerLimit({ ...none, answerTokens: 16_384 }, 99_999, 10)).toBe(16_384)
})

test('without its numbers it has what surely fits, or half of what was refused', () => {
  expect(smallerLimit({ ...none, contextTokens: 4096 }, 4000, 1500)).toBe(2596)
  expect(smallerLimit({ ...none, contextTokens: 4096 }, 4000, 5000)).toBe(2000)
  expect(smallerLimit(none, 4000, 5000)).toBe(2000)
})

test('where the prompt alone is too long there is none', () => {
  expect(smallerLimit({ ...none, contextTokens: 4096, promptTokens: 4096 }, 4000, 5000)).toBeUndefined()
  expect(smallerLimit(none, 1, 5000)).toBeUndefined()
})

test('each try is smaller than the one before, whatever the server says', () => {
  for (const contextTokens of [undefined, 0, 1, 4096, 1e9]) {
    for (const promptTokens of [undefined, 0, 10, 1e9]) {
      let limit: number | undefined = 4000
      for (let tries = 0; limit !== undefined; tries++) {
        const next = smallerLimit({ ...none, contextTokens, promptTokens }, limit, 100)
        expect(next ?? 0).toBeLessThan(limit)
        expect(tries).toBeLessThan(20)
        limit = next
      }
    }
  }
})
