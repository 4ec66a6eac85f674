import { expect, test } from 'bun:test'
import { testEngineSettings } from '../testing/engine-settings.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { readModelSettings, settingsOf } from './model-settings.ts'

test('a model’s own settings come before those of the server', () => {
  const manifest = testManifest({ settings: { contextTokens: 512 } })
  expect(settingsOf(manifest, testEngineSettings)).toEqual({
    parallel: 4,
    contextTokens: 512,
    maxWaiting: 512,
    keepAliveMinutes: 0,
  })
})

test('an engine is given its own settings and no other’s', () => {
  expect(settingsOf(testManifest({ engine: 'onnx' }), testEngineSettings)).toEqual({
    threads: 1,
    device: 'cpu',
    keepAliveMinutes: 0,
  })
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
    '"onnx.kv_type": kv_type is a setting of engine "llama", not of "onnx" (known: threads, device, keep_alive_minutes)',
  ],
  ['llama', { parallel: 0 }, '"llama.parallel" must be a whole number from 1 to 256, not 0'],
  ['llama', { device: 'tpu' }, '"llama.device" must be auto, cpu, vulkan or cuda, not "tpu"'],
  ['onnx', 3, '"onnx" must be a table'],
] as const)('%s with %j is refused', (kind, toml, problem) => {
  expect(readModelSettings(kind, toml)).toEqual({ problem })
})
