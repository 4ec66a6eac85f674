import { describe, expect, test } from 'bun:test'
import { freePricing, type ModelManifest, type ModelType, type Pricing } from '../core/model.ts'
import type { FilesState } from '../core/model-state.ts'
import type { TextModelSettings } from '../core/text-model-settings.ts'
import { parseModelType, type ServedModel, toAliasObject, toModelList, toModelObject } from './models.ts'

const options = { docsUrl: (id: string) => `http://box/docs/models#${id}` }

function listed(id: string, status: FilesState, manifest: Partial<ModelManifest> = {}): ServedModel {
  return {
    manifest: {
      id,
      type: 'chat',
      engine: 'fake',
      aliases: [],
      files: [],
      capabilities: { diarization: true },
      defaults: {},
      ...manifest,
    },
    status,
    addedAtMs: 1_700_000_000_999,
  }
}

test('a canonical row says everything about the model', () => {
  const model = listed(
    'org/name',
    { kind: 'ready' },
    {
      contextLength: 32768,
      dimensions: 384,
      aliases: [{ id: 'old' }, { id: 'older' }],
      pricing: {
        inputNanoUsd: 80_000_000,
        cachedInputNanoUsd: 20_000_000,
        outputNanoUsd: 350_000_000,
        unit: '1M_tokens',
      },
    },
  )
  expect(toModelObject({ ...model, usableContext: 8192, statedContext: 40960 }, options)).toEqual({
    id: 'org/name',
    object: 'model',
    created: 1_700_000_000,
    created_at: '2023-11-14T22:13:20.999Z',
    owned_by: 'org',
    type: 'chat',
    canonical: 'org/name',
    display_name: 'org/name',
    pricing: { input: 0.08, cached_input: 0.02, output: 0.35, unit: '1M_tokens' },
    context_length: 8192,
    max_model_len: 8192,
    max_context_length: 40960,
    max_completion_tokens: 8192,
    architecture: { input_modalities: ['text', 'file'], output_modalities: ['text'] },
    dimensions: 384,
    capabilities: { diarization: true, vision: false },
    aliases: ['old', 'older'],
    docs: 'http://box/docs/models#org/name',
    status: 'ready',
  })
})

test('a canonical row tells what languages a model understands, and what voices it has', () => {
  const transcriber = { kind: 'whisper', languages: ['en', 'yue'] } as const
  const understands = listed('org/understands', { kind: 'ready' }, { type: 'stt', transcriber })
  expect(toModelObject(understands, options)).toMatchObject({ languages: ['en', 'yue'] })
  const voices = [{ name: 'Ada', speaker: 0, aliases: ['alloy'] }]
  const speaks = listed('org/speaks', { kind: 'ready' }, { type: 'tts', synthesizer: { kind: 'vits', voices } })
  expect(toModelObject(speaks, options)).toMatchObject({ voices: ['Ada'] })
  const unknown = listed('org/unknown', { kind: 'ready' }, { type: 'stt', transcriber: { kind: 'moonshine' } })
  expect(toModelObject(unknown, options)).not.toHaveProperty('languages')
})

test('an alias row names its canonical model and has no price of its own', () => {
  const alias = { id: 'old' }
  expect(toAliasObject(listed('org/name', { kind: 'available' }, { aliases: [alias] }), alias, options)).toEqual({
    id: 'old',
    object: 'model',
    created: 1_700_000_000,
    created_at: '2023-11-14T22:13:20.999Z',
    owned_by: 'org',
    type: 'chat',
    canonical: 'org/name',
    display_name: 'old',
    architecture: { input_modalities: ['text', 'file'], output_modalities: ['text'] },
    capabilities: { diarization: true, vision: false },
    docs: 'http://box/docs/models#org/name',
    status: 'available',
  })
})

test('models stay in order, aliases follow their model, and a broken one says why', () => {
  const list = toModelList(
    [
      listed('a/broken', { kind: 'broken', reason: 'the file is cut short' }),
      listed('b/available', { kind: 'available' }, { aliases: [{ id: 'b' }] }),
      listed('c/ready', { kind: 'ready' }, { aliases: [{ id: 'c1' }, { id: 'c2' }] }),
      listed('d/ready', { kind: 'ready' }),
    ],
    options,
  )
  expect(list.object).toBe('list')
  expect(list.data.map((row) => [row.id, row.status, row.reason])).toEqual([
    ['a/broken', 'broken', 'the file is cut short'],
    ['b/available', 'available', undefined],
    ['b', 'available', undefined],
    ['c/ready', 'ready', undefined],
    ['c1', 'ready', undefined],
    ['c2', 'ready', undefined],
    ['d/ready', 'ready', undefined],
  ])
})

test('the list can be limited to one type', () => {
  const models = [listed('a/chat', { kind: 'ready' }), listed('b/embed', { kind: 'ready' }, { type: 'embedding' })]
  expect(toModelList(models, { ...options, type: 'embedding' }).data.map((row) => row.id)).toEqual(['b/embed'])
  expect(toModelList(models, { ...options, type: parseModelType(undefined) }).data.length).toBe(2)
})

test.each<[ModelType, boolean]>([
  ['chat', false],
  ['vision', true],
])('rows of models of type %s say whether they see: %p, whatever the manifest says', (type, vision) => {
  const alias = { id: 'name' }
  const capabilities = { tools: true, reasoning: 'toggle', vision: !vision }
  const model = listed('org/name', { kind: 'ready' }, { type, aliases: [alias], capabilities })
  const served = { tools: true, reasoning: 'toggle', vision }
  expect(toModelObject(model, options)).toMatchObject({ type, capabilities: served })
  expect(toAliasObject(model, alias, options)).toMatchObject({ type, capabilities: served })
  const plain = listed('org/plain', { kind: 'ready' }, { type, capabilities: {} })
  expect(toModelObject(plain, options).capabilities).toEqual({ vision })
})

describe('rows of models that embed', () => {
  const encoder: TextModelSettings = {
    pooling: 'mean',
    normalize: true,
    padding: 'right',
    padTokenId: 0,
    specialTokens: true,
    queryPrefix: '',
    documentPrefix: '',
    activation: 'none',
    goldenVectors: [],
    goldenScores: [],
  }

  test.each<[string, Partial<ModelManifest>, object]>([
    ['nothing is known of', {}, { custom_dimensions: false, input_type: false }],
    ['takes all texts alike', { encoder }, { custom_dimensions: false, input_type: false }],
    [
      'has instructions and may be cut',
      { encoder: { ...encoder, queryPrefix: 'query: ' }, capabilities: { custom_dimensions: true } },
      { custom_dimensions: true, input_type: true },
    ],
  ])('say of one that %s what it can do', (_, manifest, capabilities) => {
    const model = listed(
      'a/b',
      { kind: 'ready' },
      { type: 'embedding', dimensions: 256, capabilities: {}, ...manifest },
    )
    const expected = { type: 'embedding', dimensions: 256, capabilities }
    expect(toModelObject(model, options)).toMatchObject(expected)
    expect(toAliasObject(model, { id: 'c' }, options)).toMatchObject(expected)
  })

  test('no other row says so', () => {
    const model = listed('a/b', { kind: 'ready' }, { type: 'rerank', capabilities: {}, encoder })
    expect(toModelObject(model, options).capabilities).toEqual({})
  })
})

test.each(['zzz', '', 'Chat', 'toString', '__proto__'])('%p is no type to limit a list to', (type) => {
  expect(() => parseModelType(type)).toThrow(
    "'type' must be one of chat, vision, embedding, rerank, tts, stt, image, moderation.",
  )
})

test('a model without a price shows none, one that is free shows zeros', () => {
  const row = (pricing: Pricing | undefined) => toModelObject(listed('a/b', { kind: 'ready' }, { pricing }), options)
  expect(row(undefined)).not.toHaveProperty('pricing')
  expect(row(freePricing.chat).pricing).toEqual({ input: 0, output: 0, unit: '1M_tokens' })
})

test('clients that page hear that there is one page, and what it begins and ends with', () => {
  const models = [listed('a/one', { kind: 'ready' }, { aliases: [{ id: 'uno' }] }), listed('b/two', { kind: 'ready' })]
  expect(toModelList(models, options)).toMatchObject({ has_more: false, first_id: 'a/one', last_id: 'b/two' })
  expect(toModelList([], options)).toMatchObject({ has_more: false, first_id: null, last_id: null })
})

test('rows of models that transcribe say that a prompt has no effect', () => {
  const transcriber = { kind: 'whisper' } as const
  const model = listed('a/b', { kind: 'ready' }, { type: 'stt', transcriber, capabilities: { diarization: true } })
  const capabilities = { prompt: false, diarization: true }
  expect(toModelObject(model, options)).toMatchObject({ capabilities })
  expect(toAliasObject(model, { id: 'c' }, options)).toMatchObject({ capabilities })
})

test.each([true, false])('rows say whether models that chat fill gaps, where that is known: %p', (fillsGaps) => {
  const chat = listed('org/name', { kind: 'ready' }, { capabilities: { fill_in_the_middle: !fillsGaps } })
  expect(toModelObject({ ...chat, fillsGaps }, options).capabilities).toMatchObject({ fill_in_the_middle: fillsGaps })
  expect(toModelObject(chat, options).capabilities).toMatchObject({ fill_in_the_middle: !fillsGaps })
  const other = listed('org/name', { kind: 'ready' }, { type: 'tts', capabilities: {} })
  expect(toModelObject({ ...other, fillsGaps }, options).capabilities).toEqual({})
})
