import { expect, test } from 'bun:test'
import { testEngineSettings } from '../testing/engine-settings.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { memorySettingsOf, readModelSettings, settingsOf, writeModelSettings } from './model-settings.ts'

test('a model’s own settings come before those of the server', () => {
  const manifest = testManifest({ settings: { contextTokens: 512 } })
  expect(settingsOf(manifest, testEngineSettings)).toEqual({
    parallel: 4,
    contextTokens: 512,
    maxWaiting: 512,
    keepAliveMs: Number.POSITIVE_INFINITY,
  })
})

test('an engine is given its own settings and no other’s', () => {
  expect(settingsOf(testManifest({ engine: 'onnx' }), testEngineSettings)).toEqual({
    threads: 1,
    device: 'cpu',
    keepAliveMs: Number.POSITIVE_INFINITY,
  })
})

test('what a model needs of memory does not depend on how long it is kept or how many wait', () => {
  expect(memorySettingsOf(testManifest({ settings: { contextTokens: 512 } }), testEngineSettings)).toEqual({
    parallel: 4,
    contextTokens: 512,
  })
})

test('settings are written as they are read', () => {
  const toml = { context_tokens: 4096, kv_type: 'q8_0', share_cache: true, keep_alive: '90s' }
  const read = readModelSettings('llama', toml)
  if ('problem' in read) throw new Error(read.problem)
  expect(read.settings).toEqual({ contextTokens: 4096, kvType: 'q8_0', shareCache: true, keepAliveMs: 90_000 })
  expect(writeModelSettings('llama', read.settings)).toEqual(toml)
})

test('settings are read by the keys of TOML', () => {
  const toml = { context_tokens: 4096, kv_type: 'q8_0', share_cache: true }
  expect(readModelSettings('llama', toml)).toEqual({
    settings: { contextTokens: 4096, kvType: 'q8_0', shareCache: true },
  })
})

test.each([
  ['llama', { contxt_tokens: 1 }, 'unknown setting "llama.contxt_tokens" (did you mean "context_tokens"?)'],
  [
    'onnx',
    { kv_type: 'f16' },
    '"onnx.kv_type": kv_type is a setting of engine "llama", not of "onnx" (known: threads, device, keep_alive)',
  ],
  [
    'onnx',
    { keep_alive_minutes: 5 },
    'unknown setting "onnx.keep_alive_minutes" (it is now keep_alive, with a unit: keep_alive = "30m")',
  ],
  ['llama', { parallel: 0 }, '"llama.parallel" must be a whole number from 1 to 256, not 0'],
  ['llama', { device: 'tpu' }, '"llama.device" must be auto, cpu, vulkan or cuda, not "tpu"'],
  ['onnx', 3, '"onnx" must be a table'],
] as const)('%s with %j is refused', (kind, toml, problem) => {
  expect(readModelSettings(kind, toml)).toEqual({ problem })
})
