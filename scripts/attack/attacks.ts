/** Requests that an attacker repeats: one row per kind of attack. */
import { lyingOpus } from './audio/opus.ts'
import type { payers } from './payers.ts'

export interface Attack {
  /** Money of each attacker's account in nano-USD. Undefined if there is no account and the key is invented. */
  readonly balanceNanoUsd: number | undefined
  /** Method and path. Defaults to POST. */
  readonly path: string
  /** Number of revoked keys of the one account in which all attackers are signed in. */
  readonly endedKeys?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: () => Uint8Array
  /** True if all attackers share one account with this balance. */
  readonly isOneAccount?: boolean
  /** Requests of the paying client during the attack. Defaults to chats. */
  readonly payer?: keyof typeof payers
  /** Part of the answer to wait for: the status line (`answer`) or all of it (`end`). */
  readonly waitFor: 'answer' | 'end'
  /** Sends a byte per second. Without it, the whole body is sent at once. */
  readonly pace?: 'trickle'
  /** True if the client never reads the answer. */
  readonly isDeaf?: boolean
}

const mebibyte = 1024 * 1024
const model = 'inferd/starter-chat'
const starterCreditNanoUsd = 1_000_000_000
const chat = { path: '/v1/chat/completions', waitFor: 'answer' } as const

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

/** Repeats `piece` between a start and an end until the text has about this many bytes. */
function repeated(start: string, piece: string, end: string, bytes: number): Uint8Array {
  return new TextEncoder().encode(start + piece.repeat(Math.floor(bytes / piece.length)) + end)
}

function wideJson(): Uint8Array {
  return repeated(`{"model":"${model}","messages":[`, '{},', '{}]}', 60 * mebibyte)
}

function toolConversation(messages: number): unknown[] {
  const pairs = Array.from({ length: messages / 2 }, (_, index) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: `call_${index}`, type: 'function', function: { name: 'look', arguments: '{"at":"a place"}' } },
      ],
    },
    { role: 'tool', tool_call_id: `call_${index}`, content: `Result ${index}: ${'found nothing here '.repeat(5)}` },
  ])
  return [{ role: 'user', content: 'Look around.' }, ...pairs.flat()]
}

function toolItems(items: number): unknown[] {
  const pairs = Array.from({ length: items / 2 }, (_, index) => [
    { type: 'function_call', call_id: `call_${index}`, name: 'look', arguments: '{"at":"a place"}' },
    { type: 'function_call_output', call_id: `call_${index}`, output: 'found nothing here '.repeat(5) },
  ])
  return [{ role: 'user', content: 'Look around.' }, ...pairs.flat()]
}

const longAnswers = {
  model,
  messages: [{ role: 'user', content: 'Tell me a very long story about the sea.' }],
  n: 8,
  max_tokens: 2_000,
}

const boundary = 'inferd-attack'

/** Returns a form with a recording that claims to last a second, and lasts nearly twelve hours. */
function lyingForm(): Uint8Array {
  const part = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`
  return Buffer.concat([
    Buffer.from(`${part('name="model"')}inferd/starter-stt\r\n${part('name="file"; filename="a.opus"')}`),
    lyingOpus(11.8 * 3600, 1),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
}

const lyingRecordings = {
  balanceNanoUsd: 50_000_000,
  path: '/v1/audio/transcriptions',
  payer: 'transcription',
  waitFor: 'end',
  headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  body: lyingForm,
} as const

export const attacks = {
  'unknown key, 60 MB': { ...chat, balanceNanoUsd: undefined, body: wideJson },
  'no money, 60 MB of {}': { ...chat, balanceNanoUsd: 0, body: wideJson },
  'money, 60 MB of {}': { ...chat, balanceNanoUsd: starterCreditNanoUsd, body: wideJson },
  'money, 60 MB of [': {
    ...chat,
    balanceNanoUsd: starterCreditNanoUsd,
    body: () => repeated('', '[', '', 60 * mebibyte),
  },
  'money, one text of 60 MB': {
    ...chat,
    balanceNanoUsd: starterCreditNanoUsd,
    body: () => repeated(`{"model":"${model}","messages":[{"role":"user","content":"`, 'word ', '"}]}', 60 * mebibyte),
  },
  'money, gzip of 60 MB': {
    ...chat,
    balanceNanoUsd: starterCreditNanoUsd,
    headers: { 'content-encoding': 'gzip' },
    body: () => Bun.gzipSync(wideJson() as Uint8Array<ArrayBuffer>),
  },
  'money, 60 MB of small inputs': {
    balanceNanoUsd: starterCreditNanoUsd,
    path: '/v1/embeddings',
    waitFor: 'answer',
    body: () => repeated('{"model":"inferd/starter-embed","input":[', '"a",', '"a"]}', 60 * mebibyte),
  },
  'money, a byte a second': {
    ...chat,
    balanceNanoUsd: starterCreditNanoUsd,
    body: () => repeated('{"model":"', 'x', '"}', mebibyte),
    pace: 'trickle',
  },
  'no money, counting 1.2 MB of text': {
    balanceNanoUsd: 0,
    path: '/v1/messages/count_tokens',
    waitFor: 'end',
    body: () => json({ model, messages: [{ role: 'user', content: 'word '.repeat((1.2 * mebibyte) / 5) }] }),
  },
  'no money, counting 8,000 tool messages': {
    balanceNanoUsd: 0,
    path: '/v1/responses/input_tokens',
    waitFor: 'end',
    body: () => json({ model, input: toolItems(8_000) }),
  },
  'money, chats of 8,000 tool messages': {
    ...chat,
    balanceNanoUsd: starterCreditNanoUsd,
    waitFor: 'end',
    body: () => json({ model, messages: toolConversation(8_000), max_tokens: 1 }),
  },
  'money, eight long answers each': {
    ...chat,
    balanceNanoUsd: starterCreditNanoUsd,
    waitFor: 'end',
    body: () => json(longAnswers),
  },
  'money, answers that nobody reads': {
    ...chat,
    balanceNanoUsd: starterCreditNanoUsd,
    waitFor: 'end',
    isDeaf: true,
    body: () => json({ ...longAnswers, stream: true, logprobs: true, top_logprobs: 20 }),
  },
  'money, empty prompts': {
    ...chat,
    balanceNanoUsd: starterCreditNanoUsd,
    waitFor: 'end',
    body: () => json({ model, messages: [{ role: 'user', content: '' }], max_tokens: 1 }),
  },
  'no money, a list of 23,000 revoked keys': {
    ...{ balanceNanoUsd: 0, endedKeys: 23_000, path: '/dashboard/api/operations/keys-list', waitFor: 'end' },
    body: () => json({}),
  },
  'no money, new keys': {
    ...{ balanceNanoUsd: 0, endedKeys: 0, path: '/dashboard/api/operations/keys-create', waitFor: 'end' },
    body: () => json({ name: 'k' }),
  },
  'five cents, recordings of a second with twelve hours': { ...lyingRecordings, isOneAccount: true },
  'five cents each, recordings of a second with twelve hours': lyingRecordings,
  'no account, signup probes': {
    balanceNanoUsd: undefined,
    path: '/v1/signup',
    waitFor: 'end',
    body: () => json({ email: 'someone@example.org', password: 'short' }),
  },
} as const satisfies Record<string, Attack>
