/** Endpoints that continue prompts as their callers know them: for tests that try all endpoints. */
import type { JsonObject } from '../core/json.ts'
import { type DialectEndpoint, readPlainError } from './dialect-endpoints.ts'

export interface PromptEndpoint extends Pick<DialectEndpoint, 'path' | 'bodies' | 'readError' | 'streamEnd'> {
  /** A plain body. */
  readonly body: JsonObject
}

const model = 'fake'
const prompt = 'Once upon a time'
const gap = { model, prompt: 'def add(a, b):', suffix: '\n\n', max_tokens: 5 }
const common = { readError: readPlainError, streamEnd: /\ndata: \[DONE\]\n\n$/ }

export const promptEndpoints: readonly PromptEndpoint[] = [
  {
    ...common,
    path: '/v1/completions',
    body: { model, prompt },
    bodies: [
      { model, prompt },
      {
        model,
        prompt: [prompt, [1, 2, 3]],
        max_tokens: 5,
        n: 2,
        best_of: 2,
        temperature: 0.5,
        top_p: 0.9,
        presence_penalty: 0.1,
        logit_bias: { '5': 1 },
        seed: 1,
        stop: ['\nuser:', 'END'],
        echo: true,
        stream: true,
        stream_options: { include_usage: true },
        user: 'ann',
      },
      { model, prompt: [1, 2], logprobs: 2, max_tokens: -1, response_format: { type: 'text' } },
      { ...gap, stop: '\n\n' },
    ],
  },
  {
    ...common,
    path: '/v1/fim/completions',
    body: gap,
    bodies: [
      { ...gap, random_seed: 1, min_tokens: 1, stop: ['a'], stream: true },
      { model, prompt, temperature: 0, top_p: 1, metadata: { a: 'b' } },
    ],
  },
]
