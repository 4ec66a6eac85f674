import { expect, test } from 'bun:test'
import { countModels, diarizerId, modelIdOf } from './model-counts.ts'

test('a model is counted once, its engine that labels speakers included', () => {
  const engines = [
    { modelId: 'a/stt', state: 'ready' },
    { modelId: diarizerId('a/stt'), state: 'ready' },
    { modelId: 'b/chat', state: 'draining' },
    { modelId: 'c/chat', state: 'starting' },
    { modelId: 'd/chat', state: 'failed' },
  ] as const
  const statuses = ['ready', 'ready', 'available', 'downloading', 'broken'] as const
  expect(countModels({ statuses, engines })).toEqual({ installed: 2, loaded: 2, ready: 1 })
})

test('an engine belongs to the model of its id', () => {
  expect([modelIdOf('a/stt'), modelIdOf(diarizerId('a/stt'))]).toEqual(['a/stt', 'a/stt'])
})
