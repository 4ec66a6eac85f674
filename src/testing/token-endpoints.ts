/** Endpoints of tokenizers, for tests that try all endpoints. */
import type { JsonObject } from '../core/json.ts'
import { type DialectEndpoint, readPlainError } from './dialect-endpoints.ts'

interface TokenEndpoint extends Pick<DialectEndpoint, 'path' | 'bodies' | 'readError' | 'streamEnd'> {
  /** A plain body. */
  readonly body: JsonObject
}

const model = 'fake'
const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Grüße 🙂' }] },
]
const chat = { model, messages, add_generation_prompt: false, chat_template_kwargs: { a: 1 } }

export const tokenEndpoints: readonly TokenEndpoint[] = [
  {
    path: '/v1/tokenize',
    body: { model, prompt: 'Hi' },
    readError: readPlainError,
    bodies: [
      { model, prompt: 'Grüße 🙂', add_special_tokens: false, return_token_strs: true },
      { model, content: 'a\u0000b', add_special: true, parse_special: false, with_pieces: true },
      { ...chat, return_token_strs: true },
    ],
  },
  {
    path: '/v1/detokenize',
    body: { model, tokens: [72, 105] },
    readError: readPlainError,
    bodies: [
      { model, tokens: [72, 105] },
      { model, tokens: [] },
    ],
  },
  {
    path: '/v1/apply-template',
    body: { model, messages },
    readError: readPlainError,
    bodies: [{ model, messages }, chat],
  },
]
