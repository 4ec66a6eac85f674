import { expect, test } from 'bun:test'
import { printable } from '../core/printable.ts'
import { nothingConsumed } from '../core/usage.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { createLog, type LogOptions } from './log.ts'
import { LogTail } from './log-tail.ts'
import { logRequest } from './request-log.ts'

function record(options: Pick<LogOptions, 'level' | 'format'>) {
  const lines: string[] = []
  return { log: createLog({ ...options, write: (text) => lines.push(text) }), lines }
}

test('JSON lines hold level, time, message and the fields', () => {
  const { log, lines } = record({ level: 'info', format: 'json' })
  log.info({ model: 'inferd/starter-chat' }, 'engine ready')
  const line = JSON.parse(lines[0] ?? '')
  expect(line).toEqual({ level: 'info', time: expect.any(Number), model: 'inferd/starter-chat', msg: 'engine ready' })
  expect(lines[0]?.endsWith('}\n')).toBe(true)
})

test('text lines are read at a glance', () => {
  const { log, lines } = record({ level: 'info', format: 'text' })
  log.warn({ model: 'a/b', reason: 'two words', count: 3 }, 'engine ended')
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}engine ended {2}model=a\/b {2}reason="two words" {2}count=3\n$/)
})

test('lines below the level are dropped', () => {
  const { log, lines } = record({ level: 'warn', format: 'text' })
  log.info({}, 'nobody wants this')
  log.warn({}, 'somebody wants this')
  expect(lines.length).toBe(1)
})

test('an error shows its stack in text and its fields in JSON', () => {
  for (const format of ['text', 'json'] as const) {
    const { log, lines } = record({ level: 'info', format })
    log.error({ err: new Error('disk full') }, 'request')
    expect(lines[0]).toContain('disk full')
    expect(lines[0]).toContain('log.test.ts')
  }
})

test('a key never reaches the log, whatever it hides in', () => {
  const key = `sk-inferd-${'a1B2'.repeat(10)}`
  for (const format of ['text', 'json'] as const) {
    const { log, lines } = record({ level: 'info', format })
    log.error({ err: new Error(`refused ${key}`), note: key }, `bad ${key}`)
    expect(lines.join('')).not.toContain('a1B2')
    expect(lines.join('')).toContain('sk-inferd-[redacted]')
  }
})

test('a mail address never reaches the log, and names of packages with a version do', () => {
  for (const format of ['text', 'json'] as const) {
    const { log, lines } = record({ level: 'info', format })
    const err = new Error('550 <ada.l+x@box.example.org>: refused\ngrace@b\u00fccher.example')
    log.warn(
      { err, reason: 'from ada@example.org,bob@example.org', at: 'node_modules/@a/b/c.js:1 bun@1.4.5' },
      'not sent',
    )
    const text = lines.join('')
    expect(text).not.toMatch(/ada|grace|bob|example/)
    expect(text).toContain('<[mail address]>: refused')
    expect(text).toContain('node_modules/@a/b/c.js:1 bun@1.4.5')
    if (format === 'json') expect(JSON.parse(text)).toMatchObject({ msg: 'not sent' })
  }
})

test('control characters and line ends in a log line are shown as escapes', () => {
  for (const format of ['text', 'json'] as const) {
    const { log, lines } = record({ level: 'info', format })
    log.warn({ model: 'a\x9b2J' }, 'left out: \x1b[31mred\n12:00:00 info  all is well')
    expect(lines.join('')).toBe(printable(lines.join('')))
    expect(lines.join('').split('\n').length).toBe(2)
  }
})

test('a request leaves one line with its tokens and whole milliseconds', () => {
  const { log, lines } = record({ level: 'info', format: 'json' })
  logRequest(log, {
    ...endedRecord,
    requestId: 'req_1',
    method: 'POST',
    path: '/v1/chat/completions',
    status: 200,
    durationMs: 12.7,
    firstOutputMs: 3.2,
    model: 'a/b',
    used: { ...nothingConsumed, promptTokens: 5, cachedTokens: 2, completionTokens: 7 },
  })
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'info',
    time: expect.any(Number),
    requestId: 'req_1',
    method: 'POST',
    path: '/v1/chat/completions',
    status: 200,
    model: 'a/b',
    durationMs: 13,
    firstOutputMs: 3,
    promptTokens: 5,
    cachedTokens: 2,
    completionTokens: 7,
    reasoningTokens: 0,
    msg: 'request',
  })
})

test('our own faults are errors in the log, the client ones are not', () => {
  const { log, lines } = record({ level: 'error', format: 'json' })
  const line = { ...endedRecord, requestId: 'req_1', method: 'GET', path: '/', durationMs: 1 }
  logRequest(log, { ...line, status: 404 })
  logRequest(log, { ...line, status: 502, code: 'engine_failed', cause: new Error('signal 9') })
  logRequest(log, { ...line, status: 200, isStream: true, cause: new Error('died in the middle') })
  expect(lines.length).toBe(2)
  expect(lines[0]).toContain('signal 9')
  expect(lines[1]).toContain('died in the middle')
})

test('probes that succeed are told only to who asks for every detail', () => {
  const line = { ...endedRecord, requestId: 'req_1', method: 'GET', path: '/health', durationMs: 1, isRoutine: true }
  const quiet = record({ level: 'info', format: 'json' })
  logRequest(quiet.log, { ...line, status: 200 })
  expect(quiet.lines).toEqual([])
  logRequest(quiet.log, { ...line, status: 405 })
  logRequest(quiet.log, { ...line, status: 503, cause: new Error('nothing to serve') })
  expect(quiet.lines.map((text) => JSON.parse(text).level)).toEqual(['info', 'error'])
  const detailed = record({ level: 'debug', format: 'json' })
  logRequest(detailed.log, { ...line, status: 200 })
  expect(JSON.parse(detailed.lines[0] ?? '')).toMatchObject({ level: 'debug', path: '/health', msg: 'request' })
  expect(detailed.lines[0]).not.toContain('isRoutine')
})

test('the tail keeps the latest 500 lines without keys, and tells those who follow', () => {
  const tail = new LogTail()
  const log = createLog({ level: 'info', format: 'json', write: () => undefined, tail })
  const followed: string[] = []
  const end = tail.follow(({ text }) => followed.push(text))
  log.warn({ model: 'a/b', note: `sk-inferd-${'a1B2'.repeat(10)}` }, 'engine ended')
  end()
  for (let number = 1; number <= 1_200; number++) log.info({ number }, 'request')
  const lines = tail.lines()
  expect(lines).toHaveLength(500)
  expect(lines.at(-1)).toEqual({ atMs: expect.any(Number), level: 'info', text: 'request  number=1200' })
  expect(followed).toEqual(['engine ended  model=a/b  note=sk-inferd-[redacted]'])
})

test('a long line is cut in the tail', () => {
  const tail = new LogTail()
  createLog({ level: 'info', format: 'json', write: () => undefined, tail }).info({ text: '€'.repeat(9_000) }, 'long')
  expect(tail.lines()[0]?.text).toHaveLength(3_001)
})
