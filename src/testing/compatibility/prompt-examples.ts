import { type ExampleSections, fields, guidedFields, sampling } from './example.ts'

/** Examples for all rows of completions, and of filling in the middle, in docs/reference/fields.md. */
export const promptSections: ExampleSections = {
  'completions: Request fields': {
    dialect: 'completions',
    examples: fields({
      ...sampling,
      ...guidedFields,
      model: 'org/other',
      prompt: ['Ho', [1, 2]],
      suffix: 'Ho',
      max_tokens: 5,
      n: 2,
      best_of: 2,
      stream: true,
      cache_salt: 'a',
      stream_options: { include_usage: true },
      echo: true,
      logprobs: 2,
      temperature: 0.5,
      top_p: 0.5,
      stop: 'END',
      repetition_detection: false,
      response_format: { type: 'json_object' },
      messages: [],
      tools: [{ type: 'function' }],
      user: 'ann',
    }),
  },
  'fim/completions: Request fields': {
    dialect: 'fim/completions',
    examples: fields({
      model: 'org/other',
      prompt: 'Ho',
      suffix: 'Ho',
      max_tokens: 5,
      temperature: 0.5,
      top_p: 0.5,
      random_seed: 1,
      stop: ['END'],
      stream: true,
      min_tokens: 5,
      metadata: { a: 'b' },
      prompt_cache_key: 'a',
    }),
  },
}
