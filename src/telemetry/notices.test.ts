import { expect, test } from 'bun:test'
import type { DeviceBar, MachinePicture } from '../core/live.ts'
import type { ModelState, ModelWork, WatchedModel } from '../core/model-state.ts'
import { modelState } from '../testing/model-state.ts'
import { noRates } from './engine-rates.ts'
import { type StateFacts, serverState } from './notices.ts'

const nowMs = 1_000_000

const noWork: ModelWork = {
  ...{ ...noRates, sinceMs: 0, retryAtMs: undefined, cacheTokens: undefined, draftedTokens: undefined },
  ...{ acceptedTokens: undefined, stepTimes: undefined, stepShares: undefined },
}

function engine(
  modelId: string,
  state: ModelState['state'],
  parts: Parameters<typeof modelState>[0] & Partial<ModelWork> = {},
): WatchedModel {
  return {
    ...noWork,
    ...modelState({ modelId, state, ...parts }),
    ...(parts.retryAtMs && { retryAtMs: parts.retryAtMs }),
  }
}

function machine(parts: Partial<MachinePicture> = {}): MachinePicture {
  const memory = {
    id: 'host',
    totalBytes: 1,
    freeBytes: 1,
    reservedBytes: 0,
    otherBytes: 0,
    models: [],
    serverBytes: 0,
  }
  return { atMs: nowMs, devices: [], memory, disk: undefined, ...parts }
}

function device(state: DeviceBar['state']): DeviceBar {
  const figures = { loadPercent: undefined, temperatureC: undefined, powerW: undefined, sampledAtMs: nowMs }
  const bar = { id: 'gpu0', totalBytes: 1, freeBytes: 1, reservedBytes: 0, otherBytes: 0, models: [] }
  return { ...bar, ...figures, name: 'NVIDIA H200', kind: 'nvidia', state }
}

const stateOf = (facts: Partial<StateFacts>) =>
  serverState({ engines: [], machine: undefined, waitingMails: 0, others: [], nowMs, ...facts })

const failed = engine('Qwen/Qwen3-8B', 'failed', {
  lastFailure: { atMs: 0, reason: 'out of memory', lines: [] },
  retryAtMs: nowMs + 20_000,
})

test.each([
  ['nothing is loaded', [], 'No model is loaded: the first request loads one.'],
  ['one model serves', [engine('a/b', 'ready')], '1 model is loaded.'],
  [
    'another is loading',
    [engine('a/b', 'ready'), engine('c/d', 'starting', { loadedFraction: 0.634 })],
    '1 model is loaded. Loading c/d, 63 %.',
  ],
  ['one is loading', [engine('c/d', 'estimating')], 'Loading c/d.'],
])('when %s, the sentence says so', (_, engines, sentence) => {
  expect(stateOf({ engines })).toEqual({ severity: 'ok', sentence, notices: [] })
})

test('a failed engine is named with its reason and its next try', () => {
  const { severity, sentence } = stateOf({ engines: [engine('a/b', 'ready'), engine('c/d', 'stopped'), failed] })
  expect(severity).toBe('bad')
  expect(sentence).toBe('1 of 2 engines failed: Qwen/Qwen3-8B, out of memory, next try in 20 s.')
})

test('a lost device is worse than what it broke, and warnings come last', () => {
  const { sentence, notices } = stateOf({
    engines: [failed],
    machine: machine({ devices: [device('lost')], disk: { totalBytes: 100e9, freeBytes: 5e9 } }),
    waitingMails: 1,
    others: [{ code: 'backup_old', severity: 'warn', text: 'The last backup is 9 days old.', link: '/admin/system' }],
  })
  expect(sentence).toStartWith('GPU 0 (NVIDIA H200) is lost:')
  expect(notices.map(({ code }) => code)).toEqual([
    'device_lost',
    'engine_failed',
    'disk_low',
    'mails_wait',
    'backup_old',
  ])
})

test('a warning does not hide that models are served', () => {
  const state = stateOf({ engines: [engine('a/b', 'ready')], waitingMails: 2 })
  expect(state).toMatchObject({ severity: 'ok', sentence: '1 model is loaded.' })
  expect(state.notices[0]?.text).toBe('2 mails wait to be sent or handed out.')
})
