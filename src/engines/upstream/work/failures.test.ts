import { expect, test } from 'bun:test'
import { ManualClock } from '../../../testing/manual-clock.ts'
import type { EngineLogLine } from '../../protocol/engine.ts'
import { UpstreamFailure, type UpstreamFailureFacts, type UpstreamFailureKind } from '../http/failure.ts'
import { FailureLog } from './failure-log.ts'
import { clientError, failureRule } from './failures.ts'

const secret = 'a secret of the server'

function failed(kind: UpstreamFailureKind, facts: UpstreamFailureFacts = {}): UpstreamFailure {
  return new UpstreamFailure(kind, 'it failed', { detail: secret, ...facts })
}

const status = (number: number, facts: UpstreamFailureFacts = {}) => failed('status', { status: number, ...facts })

/** Failure, the client's error, the outcome for the breaker, and whether another server is tried. */
const table: readonly (readonly [UpstreamFailureKind | number, ...unknown[]])[] = [
  ['connect', 'engine', 'engine_failed', 'failed', true],
  ['tls', 'engine', 'engine_failed', 'failed', true],
  ['redirect', 'engine', 'engine_failed', 'failed', false],
  ['not-events', 'engine', 'engine_failed', 'failed', false],
  ['malformed', 'engine', 'engine_failed', 'failed', false],
  ['too-large', 'engine', 'engine_failed', 'failed', false],
  ['no-answer', 'unavailable', 'overloaded', 'failed', false],
  ['idle', 'engine', 'engine_failed', 'failed', false],
  ['too-long', 'engine', 'engine_failed', 'neutral', false],
  ['cut', 'engine', 'engine_failed', 'failed', true],
  [400, 'engine', 'engine_failed', 'refused', false],
  [401, 'engine', 'engine_failed', 'refused', false],
  [403, 'engine', 'engine_failed', 'refused', false],
  [404, 'engine', 'engine_failed', 'refused', false],
  [413, 'payload_too_large', 'payload_too_large', 'neutral', false],
  [422, 'engine', 'engine_failed', 'refused', false],
  [429, 'unavailable', 'overloaded', 'neutral', true],
  [500, 'engine', 'engine_failed', 'failed', false],
  [501, 'invalid_request', 'unsupported_parameter', 'neutral', false],
  [502, 'engine', 'engine_failed', 'failed', true],
  [503, 'unavailable', 'overloaded', 'failed', true],
  [504, 'engine', 'engine_failed', 'failed', false],
]

test.each(table)('%s is %s: %s, %s for the breaker, moves on: %s', (what, ...expected) => {
  const failure = typeof what === 'number' ? status(what) : failed(what)
  const { kind, code, message } = clientError(failure, 'org/model', 8192)
  const rule = failureRule(failure)
  expect<unknown[]>([kind, code, rule?.outcome, rule?.movesOn]).toEqual(expected)
  expect(message).not.toContain(secret)
})

test('what is too long is told in the words of a local engine, with the numbers of the server', () => {
  const detail = "The input (5000 tokens) is longer than the model's context length (4096 tokens)."
  expect(clientError(status(400, { detail }), 'org/model', 8192)).toMatchObject({
    kind: 'invalid_request',
    code: 'context_length_exceeded',
    length: { promptTokens: 5000, limitTokens: 4096 },
  })
  const unknown = clientError(status(400, { detail: '{"code":"context_length_exceeded"}' }), 'org/model', 8192)
  expect(unknown.message).toContain('at least 8193 tokens')
})

test('pictures that a server has no projector for do not count against it', () => {
  const failure = status(500, { detail: '{"error":{"code":500,"message":"image input is not supported - hint: …"}}' })
  expect(failureRule(failure)?.outcome).toBe('neutral')
  expect(clientError(failure, 'org/model', 8192).kind).toBe('invalid_request')
})

test('a busy server says when to come again', () => {
  expect(clientError(status(429, { retryAfterSeconds: 7 }), 'org/model', 8192).retryAfterSeconds).toBe(7)
  expect(clientError(status(503), 'org/model', 8192).retryAfterSeconds).toBe(5)
})

function logOf(key?: string) {
  const lines: EngineLogLine[] = []
  const clock = new ManualClock()
  const log = new FailureLog({ modelId: 'org/model', key, clock, log: (line) => lines.push(line), logsText: true })
  return { lines, clock, log }
}

const url = 'http://10.0.0.1:8000/v1'

test('the log says which server, what happened and what to do', () => {
  const { lines, log } = logOf()
  log.add(status(401, { detail: '{"error":{"message":"Unauthorized"}}' }), url)
  expect(lines).toEqual([
    {
      modelId: 'org/model',
      level: 'error',
      message: `${url}: it failed; it does not take the key of the manifest's [upstream] (it says: Unauthorized)`,
    },
  ])
})

test('nothing that a server repeats of the request is logged, and no long or broken text', () => {
  const { lines, clock, log } = logOf()
  const repeated = "[{'type': 'extra_forbidden', 'msg': 'Extra inputs are not permitted', 'input': 'my prompt'}]"
  for (const detail of [JSON.stringify({ message: repeated }), `<html>\n\u001b[31m${'x'.repeat(5_000)}my prompt`]) {
    log.add(status(400, { detail }), url)
    clock.pass(1_000)
  }
  expect(lines.length).toBe(2)
  expect(lines[0]?.message).toContain('Extra inputs are not permitted')
  for (const { message } of lines) {
    expect(message).not.toContain('my prompt')
    expect(message).not.toMatch(/\p{Cc}/u)
    expect(message.length).toBeLessThan(600)
  }
})

test('the key is not logged, however the server quotes it', () => {
  const key = 'sk-secret/key-"1'
  const { lines, clock, log } = logOf(key)
  const escaped = JSON.stringify({ error: { message: `Who is ${key}?` } }).replaceAll('/', '\\/')
  for (const detail of [`who is Bearer ${key}`, escaped, `${'x'.repeat(290)}${key}`]) {
    log.add(status(500, { detail }), url)
    clock.pass(1_000)
  }
  const text = lines.map(({ message }) => message).join('\n')
  expect(text).toContain('Who is [key]?')
  expect(text).not.toContain('sk-s')
})

test('there is one line a second, and the next one says how many were left out', () => {
  const { lines, clock, log } = logOf()
  for (let number = 0; number < 50; number++) log.add(failed('idle'), url)
  expect(lines.length).toBe(1)
  clock.pass(1_000)
  log.add(failed('idle'), url)
  expect(lines[1]?.message).toEndWith('; 49 more failures since the last such line')
  clock.pass(1_000)
  log.add(failed('idle'), url)
  expect(lines[2]?.message).not.toContain('more failures')
})
