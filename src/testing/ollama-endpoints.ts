/** Paths of Ollama's API that take bodies, for tests that try all of them. */
import { expect } from 'bun:test'
import type { JsonObject } from '../core/json.ts'
import type { ErrorDetails } from './dialect-endpoints.ts'

export interface OllamaEndpoint {
  readonly path: string
  /** Bodies that are answered with 200 and together use most fields. */
  readonly bodies: readonly JsonObject[]
  /** Pattern of the end of a successful stream. Absent if the path has no streams. */
  readonly streamEnd?: RegExp
  readonly readError: (text: string) => ErrorDetails
}

const model = 'fake'
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = { type: 'function', function: { name: 'weather', description: 'Looks.', parameters } }
const numbers = { temperature: 0.5, top_k: 40, top_p: 0.9, min_p: 0.05, repeat_penalty: 1.1, seed: -1, num_ctx: 8192 }

/** Pattern of a line with `done: true` at the end of a stream. */
const lastLine = /"done":true,[^\n]+\}\n$/

export const ollamaEndpoints: readonly OllamaEndpoint[] = [
  {
    path: '/api/chat',
    bodies: [
      {
        model: 'Test/Fake:latest',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Is it warm in Oslo?' },
          {
            role: 'assistant',
            content: '',
            thinking: 'I look.',
            tool_calls: [{ function: { index: 0, name: 'weather', arguments: { city: 'Oslo' } } }],
          },
          { role: 'tool', tool_name: 'weather', content: '12 degrees' },
          { role: 'user', content: 'And Rome?', images: [] },
        ],
        tools: [weather],
        options: { ...numbers, num_predict: 20, stop: ['END', 'STOP'], presence_penalty: 0.1, mirostat: 0 },
        keep_alive: '5m',
        logprobs: true,
        top_logprobs: 2,
      },
      {
        model,
        messages: [{ role: 'user', content: 'List some.', images: null }],
        format: parameters,
        think: 'low',
        stream: false,
        options: { num_predict: -1, seed: 7, stop: 'END' },
        keep_alive: -1,
      },
      { model, messages: [], keep_alive: 300 },
    ],
    streamEnd: lastLine,
    readError: readOllamaError,
  },
  {
    path: '/api/generate',
    bodies: [
      { model, prompt: 'Why is the sky blue?', system: 'Be brief.', images: [], think: false, options: numbers },
      { model, prompt: 'List some.', stream: false, format: 'json', template: '', context: [], suffix: '', raw: false },
      { model, prompt: '[INST] why? [/INST]', raw: true, keep_alive: '1h30m' },
      { model, prompt: '' },
    ],
    streamEnd: lastLine,
    readError: readOllamaError,
  },
  {
    path: '/api/embed',
    bodies: [
      { model: 'embedder', input: ['one two', 'three'], truncate: true, options: {}, keep_alive: '10m' },
      { model: 'embedder:latest', input: 'Hello 🙂', dimensions: 4 },
      { model: 'embedder', input: [] },
    ],
    readError: readOllamaError,
  },
  {
    path: '/api/embeddings',
    bodies: [
      { model: 'embedder', prompt: 'Hello 🙂', options: null },
      { model: 'embedder', prompt: '' },
    ],
    readError: readOllamaError,
  },
  {
    path: '/api/show',
    bodies: [{ model }, { name: 'FAKE:latest', verbose: true, system: '' }],
    readError: readOllamaError,
  },
  {
    // The model is present, so nothing is downloaded.
    path: '/api/pull',
    bodies: [
      { model: 'Fake:latest', insecure: false },
      { name: 'test/fake', stream: false },
    ],
    streamEnd: /\n\{"status":"success"\}\n$/,
    readError: readOllamaError,
  },
]

/** Returns the error's details. Fails if the text is no error of this dialect. */
export function readOllamaError(text: string): ErrorDetails {
  const { error, code, param, docs_url, ...rest } = JSON.parse(text)
  expect(rest).toEqual({})
  expect(error).toMatch(/^.{6,}/)
  expect(error).not.toContain('of another type')
  expect(code).toBeString()
  expect(docs_url).toEndWith(`#${code}`)
  if (param !== null) expect(param).toBeString()
  return { code, param, message: error }
}
