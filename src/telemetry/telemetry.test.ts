import { expect, test } from 'bun:test'
import type { MachinePicture, Rates } from '../core/live.ts'
import type { WatchedModel } from '../core/model-state.ts'
import type { DeviceFigures } from '../machine/device-figures.ts'
import type { MachineSample } from '../machine/sample-machine.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { modelState } from '../testing/model-state.ts'
import { RecentRequests } from './recent-requests.ts'
import { Telemetry } from './telemetry.ts'

const info = { device: 'cpu', description: '', contextTokens: 4_096, parallel: 4 }
const noStats = { steps: 0, threads: 1, running: 0, waiting: 0, reusedPromptTokens: 0 }
const gpu: DeviceFigures = {
  id: 'gpu0',
  uuid: 'GPU-0',
  name: 'NVIDIA H200',
  kind: 'nvidia',
  totalBytes: 10,
  freeBytes: 5,
  loadPercent: 1,
  temperatureC: 1,
  powerW: 1,
  processBytes: new Map(),
}
const wellSample: MachineSample = {
  devices: [gpu],
  host: undefined,
  processes: new Map(),
  ownBytes: 0,
  disk: undefined,
}

/** Opens a server with one engine, and with a scripted clock, counters and machine. */
function open() {
  const script = {
    nowMs: 1_000_000,
    engine: modelState({ modelId: 'a/b', state: 'ready', pid: 1, info }),
    tokens: { generatedTokens: 0, decodedPromptTokens: 0 },
    samples: 0,
    sample: async () => wellSample,
  }
  const clock = () => script.nowMs
  const requests = new RecentRequests(clock)
  const telemetry = new Telemetry({
    pool: {
      status: () => [script.engine],
      stats: async () => ({ ...noStats, ...script.tokens }),
      report: () => ({ engines: [script.engine], pools: [] }),
    },
    requests,
    sampleMachine: () => {
      script.samples++
      return script.sample()
    },
    waitingMails: () => 0,
    otherNotices: () => [],
    clock,
  })
  const pass = async (seconds: number, change: Parameters<typeof modelState>[0] = {}) => {
    for (let second = 0; second < seconds; second++) {
      script.nowMs += 1_000
      script.engine = modelState({ ...script.engine, ...change })
      await telemetry.tick()
    }
  }
  return { script, telemetry, requests, pass }
}

const ended = {
  ...endedRecord,
  method: 'POST',
  path: '/v1/chat/completions',
  endpoint: 'chat/completions',
  durationMs: 5,
}

test('tokens a second are what an engine computed between two looks, and nothing once it is idle', async () => {
  const { script, telemetry, pass } = open()
  const seen: Rates[] = []
  telemetry.rates.follow((rates) => seen.push(rates))
  await pass(1, { running: 1 })
  script.tokens = { generatedTokens: 50, decodedPromptTokens: 400 }
  await pass(2)
  expect(seen.at(-1)).toMatchObject({ outputTokensPerSecond: 50, promptTokensPerSecond: 400 })
  await pass(2, { running: 0 })
  expect(seen.at(-1)).toMatchObject({ outputTokensPerSecond: 0, promptTokensPerSecond: 0 })
})

test('a process that started again counts from nothing', async () => {
  const { script, telemetry, pass } = open()
  script.tokens = { generatedTokens: 1_000, decodedPromptTokens: 0 }
  await pass(2, { running: 1 })
  script.tokens = { generatedTokens: 30, decodedPromptTokens: 0 }
  await pass(1, { pid: 2 })
  expect(telemetry.models()[0]?.outputTokensPerSecond).toBe(30)
})

test('what a request computed between two looks counts, however long nothing ran before', async () => {
  const { script, telemetry, requests, pass } = open()
  await pass(100)
  script.tokens = { generatedTokens: 40, decodedPromptTokens: 8 }
  requests.end({ ...ended, requestId: 'req_1', model: 'a/b', status: 200 })
  await pass(1)
  expect(telemetry.models()[0]).toMatchObject({ outputTokensPerSecond: 40, promptTokensPerSecond: 8 })
})

test('an engine is told again only when something about it changed', async () => {
  const { script, telemetry, pass } = open()
  const seen: WatchedModel[] = []
  telemetry.engines.follow((engines) => seen.push(...engines))
  await pass(5)
  const sinceMs = script.nowMs + 1_000
  await pass(3, {
    state: 'failed',
    lastFailure: { atMs: 5, reason: 'signal SIGKILL', lines: ['last words'] },
    pid: undefined,
    info: undefined,
  })
  expect(seen.map(({ state }) => state)).toEqual(['ready', 'failed'])
  expect(seen[1]).toMatchObject({ sinceMs, lastFailure: { lines: ['last words'] } })
})

test('time that passes by itself is no change of an engine', async () => {
  const { telemetry, pass } = open()
  const seen: WatchedModel[] = []
  telemetry.engines.follow((engines) => seen.push(...engines))
  const loading = { state: 'starting', info: undefined, loadedFraction: 0.5 } as const
  for (const loadingMs of [1_000, 2_000, 3_000]) await pass(1, { ...loading, loadingMs, longestWaitMs: loadingMs })
  await pass(1, { loadedFraction: 0.6 })
  for (const unloadsInMs of [9_000, 8_000]) await pass(1, { state: 'ready', info, unloadsInMs })
  expect(seen.map(({ state, loadedFraction }) => [state, loadedFraction])).toEqual([
    ['starting', 0.5],
    ['starting', 0.6],
    ['ready', 0.6],
  ])
})

test('faults of ours are counted for a minute, errors of clients are not', async () => {
  const { telemetry, requests, pass } = open()
  requests.end({ ...ended, requestId: 'req_1', status: 404, code: 'model_not_found' })
  requests.end({ ...ended, requestId: 'req_2', status: 502, code: 'engine_failed', cause: new Error('x') })
  requests.end({ ...ended, requestId: 'req_3', status: 200, code: 'engine_failed', cause: new Error('x') })
  await pass(1)
  expect(telemetry.rates.latest?.errorsPerMinute).toBe(2)
  await pass(60)
  expect(telemetry.rates.latest?.errorsPerMinute).toBe(0)
})

test('the machine is looked at only while somebody follows it', async () => {
  const { script, telemetry, pass } = open()
  await pass(10)
  expect(script.samples).toBe(0)
  const stop = telemetry.machine.pictures.follow(() => undefined)
  await pass(10)
  expect(script.samples).toBe(5)
  stop()
  await pass(10)
  expect(script.samples).toBe(5)
})

test('a clock that is set back stops neither the looks at the machine nor the count of faults', async () => {
  const { script, telemetry, requests, pass } = open()
  const rates: Rates[] = []
  telemetry.rates.follow((value) => rates.push(value))
  telemetry.machine.pictures.follow(() => undefined)
  await pass(2)
  requests.end({ ...ended, requestId: 'req_1', status: 500 })
  const { samples } = script
  script.nowMs -= 600_000
  await pass(4)
  expect(script.samples).toBe(samples + 2)
  expect(telemetry.machine.recent?.atMs).toBeWithin(script.nowMs - 5_000, script.nowMs + 1)
  expect(rates.at(-1)?.errorsPerMinute).toBe(0)
})

test('the machine is looked at for notices too, and a failure to look ends nothing', async () => {
  const { script, telemetry, pass } = open()
  telemetry.state.follow(() => undefined)
  script.sample = () => Promise.reject(new Error('no /proc'))
  await pass(4)
  expect(script.samples).toBe(2)
  expect(telemetry.machine.recent).toBeUndefined()
})

test('a device that stops answering is seen within 5 seconds, also where its driver hangs', async () => {
  const { script, telemetry, pass } = open()
  const seen: MachinePicture[] = []
  telemetry.machine.pictures.follow((picture) => seen.push(picture))
  await pass(4)
  expect(seen.at(-1)?.devices[0]?.state).toBe('ok')
  script.sample = () => new Promise(() => undefined)
  await pass(5)
  const first = seen.find(({ devices }) => devices[0]?.state === 'unknown')
  expect((first?.atMs ?? 0) - (first?.devices[0]?.sampledAtMs ?? 0)).toBeWithin(3_500, 5_000)
  expect(telemetry.stateNow().sentence).toBe('GPU 0 (NVIDIA H200) does not answer.')
})

test('history has a row for each second of the server, its engines, and the times to the first output', async () => {
  const { script, telemetry, requests, pass } = open()
  requests.end({ ...ended, requestId: 'req_1', status: 200, firstOutputMs: 70 })
  await pass(3, { running: 2, waiting: 1 })
  expect(telemetry.history('rates', '10m')?.rows).toHaveLength(3)
  expect(telemetry.history('engine', '10m', 'a/b')?.rows.at(-1)).toEqual([0, 0, 2, 1])
  expect(telemetry.history('engine', '10m', 'c/d')).toBeUndefined()
  expect(telemetry.history('latency', '24h')?.rows.at(-1)).toEqual([70, 70, 1])
  expect(telemetry.history('rates', '24h')).toMatchObject({ fromMs: Math.floor(script.nowMs / 60_000) * 60_000 })
})
