import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { EndpointState } from '../core/endpoint-state.ts'
import type { RequestRecord } from '../core/request-record.ts'
import { nothingConsumed } from '../core/usage.ts'
import { StepClock } from '../engines/shared/step-clock.ts'
import type { DeviceFigures } from '../machine/device-figures.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { modelState } from '../testing/model-state.ts'
import { quietTelemetry } from '../testing/quiet-telemetry.ts'

const line: RequestRecord = {
  ...endedRecord,
  requestId: 'req_secret',
  accountId: 'acc_secret',
  keyId: 'key_secret',
  method: 'POST',
  path: '/v1/chat/completions',
  endpoint: 'chat/completions',
  model: 'a/b',
  status: 200,
  durationMs: 800,
  queuedMs: 20,
  firstOutputMs: 120,
  costNanoUsd: 2_000_000,
  used: { ...nothingConsumed, promptTokens: 100, cachedTokens: 40, completionTokens: 30 },
}

async function metricsOf(lines: readonly RequestRecord[]): Promise<string> {
  const { live, requests } = quietTelemetry()
  for (const each of lines) requests.end(each)
  return live.metrics.text()
}

test('what requests used is counted by model, in base units', async () => {
  const text = await metricsOf([
    { ...line, isEstimated: true },
    { ...line, status: 502, used: undefined, costNanoUsd: undefined },
  ])
  for (const sample of [
    'inferd_build_info{version="1.2.3"} 1',
    'inferd_requests_total{model="a/b",endpoint="chat/completions",status="200"} 1',
    'inferd_requests_total{model="a/b",endpoint="chat/completions",status="502"} 1',
    'inferd_tokens_total{model="a/b",kind="prompt"} 60',
    'inferd_tokens_total{model="a/b",kind="cached"} 40',
    'inferd_tokens_total{model="a/b",kind="output"} 30',
    'inferd_first_output_seconds_bucket{le="0.25",model="a/b"} 2',
    'inferd_request_duration_seconds_sum{model="a/b"} 1.6',
    'inferd_cost_usd_total{model="a/b"} 0.002',
    'inferd_estimated_requests_total{model="a/b"} 1',
  ]) {
    expect(text).toContain(`${sample}\n`)
  }
  expect(text).toContain('\nprocess_resident_memory_bytes ')
})

test('endpoints are counted by model, host and port', async () => {
  const endpoint: EndpointState = {
    ...{
      model: 'a/b',
      url: 'http://10.0.0.5:8000/v1',
      state: 'closed',
      outstanding: 3,
      served: 7,
      failed: 2,
      refused: 4,
      neutral: 1,
    },
    ...{ lastFailure: undefined, retryInMs: undefined, outOfUse: undefined, contextTokens: undefined, isSilent: false },
  }
  const down: EndpointState = { ...endpoint, url: 'http://gpu2:8000/v1', state: 'open', retryInMs: 1, outstanding: 0 }
  const text = await quietTelemetry(undefined, undefined, [endpoint, down]).live.metrics.text()
  for (const sample of [
    'inferd_upstream_requests_total{model="a/b",server="10.0.0.5:8000",outcome="served"} 7',
    'inferd_upstream_requests_total{model="a/b",server="10.0.0.5:8000",outcome="failed"} 2',
    'inferd_upstream_requests_total{model="a/b",server="10.0.0.5:8000",outcome="refused"} 4',
    'inferd_upstream_requests_running{model="a/b",server="10.0.0.5:8000"} 3',
    'inferd_upstream_up{model="a/b",server="10.0.0.5:8000"} 1',
    'inferd_upstream_up{model="a/b",server="gpu2:8000"} 0',
  ]) {
    expect(text).toContain(`${sample}\n`)
  }
})

test('steps are counted by phase as histograms, and shown as shares of the last look', async () => {
  const info = { device: 'cpu', description: '', contextTokens: 4_096, parallel: 4 }
  const counts = { steps: 0, threads: 1, running: 0, waiting: 0, reusedPromptTokens: 0, decodedPromptTokens: 0 }
  const clock = new StepClock()
  clock.addAll({ queue: 40, device: 30, sample: 10 })
  const { live } = quietTelemetry({
    status: () => [modelState({ modelId: 'a/b', state: 'ready', pid: 1, info, running: 1 })],
    stats: async () => ({ ...counts, generatedTokens: 0, stepTimes: clock.times() }),
  })
  await live.telemetry.tick()
  clock.addAll({ device: 30, sample: 5, accept: 5 })
  await live.telemetry.tick()
  const text = await live.metrics.text()
  for (const sample of [
    '# TYPE inferd_step_phase_seconds histogram',
    'inferd_step_phase_seconds_bucket{le="0.025",model="a/b",phase="device"} 0',
    'inferd_step_phase_seconds_bucket{le="0.05",model="a/b",phase="device"} 2',
    'inferd_step_phase_seconds_bucket{le="+Inf",model="a/b",phase="device"} 2',
    'inferd_step_phase_seconds_sum{model="a/b",phase="device"} 0.06',
    'inferd_step_phase_seconds_count{model="a/b",phase="queue"} 1',
  ]) {
    expect(text).toContain(`${sample}\n`)
  }
  const [view] = live.telemetry.models()
  expect(view?.stepShares).toEqual({ device: 0.75, sampling: 0.125, waiting: 0.125 })
  // No step ended in between, so the shares stay.
  await live.telemetry.tick()
  expect(live.telemetry.models()[0]?.stepShares).toEqual({ device: 0.75, sampling: 0.125, waiting: 0.125 })
})

test('an unloaded model has no tokens in a cache, and its restarts stay counted', async () => {
  const info = { device: 'cpu', description: '', contextTokens: 4_096, parallel: 4 }
  let engine = modelState({ modelId: 'a/b', state: 'ready', pid: 1, info, running: 1, restarts: 2 })
  const counts = { steps: 0, threads: 1, running: 0, waiting: 0, reusedPromptTokens: 0, decodedPromptTokens: 0 }
  const { live } = quietTelemetry({
    status: () => [engine],
    stats: async () => ({ ...counts, generatedTokens: 0, cacheTokens: 77, draftedTokens: 9, acceptedTokens: 5 }),
  })
  await live.telemetry.tick()
  const shown = await live.metrics.text()
  expect(shown).toContain('inferd_cache_tokens{model="a/b"} 77\n')
  expect(shown).toContain('inferd_draft_tokens_total{model="a/b"} 9\n')
  expect(shown).toContain('inferd_draft_tokens_accepted_total{model="a/b"} 5\n')
  engine = modelState({ modelId: 'a/b', state: 'stopped', restarts: 2, loadTimes: { process: 40, weights: 2500 } })
  const text = await live.metrics.text()
  expect(text).not.toContain('inferd_cache_tokens{')
  expect(text).toContain('inferd_engine_restarts_total{model="a/b"} 2\n')
  expect(text).toContain('inferd_model_load_seconds{model="a/b",phase="weights"} 2.5\n')
  expect(text).toContain('inferd_model_loaded{model="a/b"} 0\n')
})

test('a lost device has no figures, for they would be old', async () => {
  const figures = {
    totalBytes: 10,
    freeBytes: 5,
    loadPercent: 50,
    temperatureC: 60,
    powerW: 70,
    processBytes: new Map(),
  }
  const gpu: DeviceFigures = { ...figures, id: 'gpu0', uuid: 'GPU-0', name: 'a', kind: 'nvidia' }
  let devices = [gpu]
  const { live } = quietTelemetry(undefined, () => devices)
  expect(await live.metrics.text()).toContain('inferd_device_load_ratio{device="gpu0"} 0.5\n')
  devices = []
  await new Promise((resolve) => live.telemetry.machine.pictures.follow(resolve))
  const lines = (await live.metrics.text()).split('\n').filter((line) => line.includes('gpu0'))
  expect(lines).toEqual(['inferd_device_up{device="gpu0"} 0'])
})

test('no account, key or request is a label', async () => {
  expect(await metricsOf([line])).not.toContain('secret')
})

test('every name has its unit or is a plain number, and every metric is explained', async () => {
  const text = await metricsOf([line])
  const own = [...text.matchAll(/^# TYPE (inferd_\w+) (\w+)$/gm)].map(([, name = '', type]) => ({ name, type }))
  expect(own.length).toBeGreaterThan(20)
  for (const { name, type } of own) {
    expect(name.endsWith('_total')).toBe(type === 'counter')
    expect(name).not.toMatch(/_(ms|milliseconds|percent|kb|mb|gb)\b/)
    expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, 'm'))
  }
})

test('the dashboard for Grafana asks only for metrics that there are', async () => {
  const text = await metricsOf([line])
  const names = new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
  const dashboard = await Bun.file(join(import.meta.dir, '../../docs/grafana/inferd.json')).text()
  const asked = [...dashboard.matchAll(/\b(?:inferd|process|nodejs)_\w+/g)].map(([name]) => name)
  expect(asked.length).toBeGreaterThan(20)
  expect(asked.filter((name) => !names.has(name))).toEqual([])
})
