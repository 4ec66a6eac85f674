import { expect, test } from 'bun:test'
import type { ModelType } from '../core/model.ts'
import { architectureOf, limitFields } from './model-limits.ts'

const chat = { type: 'chat' } as const

test('a model whose context is unknown tells no limits', () => {
  expect(limitFields({ manifest: chat, statedContext: 4096 })).toEqual({})
})

test.each([
  [{ usableContext: 8192, statedContext: 40960 }, undefined, 40960],
  [{ usableContext: 8192 }, 32768, 32768],
  [{ usableContext: 65536, statedContext: 32768 }, undefined, 65536],
])('with %j and a manifest of %p the own context is %p', (context, contextLength, own) => {
  const limits = limitFields({ ...context, manifest: { ...chat, contextLength } })
  const { usableContext } = context
  expect(limits).toEqual({
    context_length: usableContext,
    max_model_len: usableContext,
    max_context_length: own,
    max_completion_tokens: usableContext,
  })
})

test('only models that answer tell how long an answer can be', () => {
  expect(limitFields({ manifest: { type: 'embedding' }, usableContext: 512 })).toEqual({
    context_length: 512,
    max_model_len: 512,
    max_context_length: 512,
  })
})

test.each<[ModelType, string, string]>([
  ['chat', 'text,file', 'text'],
  ['vision', 'text,image,file', 'text'],
  ['embedding', 'text', 'embeddings'],
  ['rerank', 'text', 'scores'],
  ['tts', 'text', 'audio'],
  ['stt', 'audio', 'text'],
])('a model of type %s takes %s and gives %s', (type, inputs, outputs) => {
  const { input_modalities, output_modalities } = architectureOf({ type, capabilities: {} })
  expect([input_modalities.join(), output_modalities.join()]).toEqual([inputs, outputs])
})

test('a model whose servers take no pictures takes text and documents', () => {
  const upstream = { flavor: 'vllm', model: 'm', endpoints: [], maxConcurrent: 1, lacks: ['pictures'] } as const
  expect(architectureOf({ type: 'vision', upstream, capabilities: {} }).input_modalities).toEqual(['text', 'file'])
})

test('a model that hears takes audio beside the rest', () => {
  const capabilities = { audio: true }
  expect(architectureOf({ type: 'chat', capabilities }).input_modalities).toEqual(['text', 'file', 'audio'])
  expect(architectureOf({ type: 'vision', capabilities }).input_modalities).toEqual(['text', 'image', 'file', 'audio'])
})
