import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { shippedAtMs, shippedManifests } from '../../models/index.ts'
import { commonVoices, findVoice } from '../core/speech-model-settings.ts'
import { Catalog } from './catalog.ts'
import { parseManifest } from './parse-manifest.ts'

const root = join(import.meta.dir, '..', '..')
const manifests = shippedManifests.map(({ file, content }) => parseManifest(file, content))
const isStarter = (id: string) => id.startsWith('inferd/starter-')
const listed = manifests.filter(({ id }) => !isStarter(id))

test('every manifest in models/ is in the list', () => {
  const found = [...new Glob('models/**/*.toml').scanSync(root)].sort()
  expect(shippedManifests.map(({ file }) => file).sort()).toEqual(found)
})

test('the sets are those of the specification, in its order', () => {
  const groups = listed.map(({ type }) => (type === 'vision' ? 'chat' : type))
  expect(groups).toEqual([
    ...Array(10).fill('chat'),
    ...Array(2).fill('embedding'),
    'rerank',
    ...Array(2).fill('tts'),
    ...Array(4).fill('stt'),
  ])
})

test('ids and aliases are unique, which the catalog itself insists on', () => {
  const catalog = new Catalog({
    shipped: shippedManifests,
    shippedAtMs,
    dataDir: '/nonexistent',
    shippedFile: () => undefined,
  })
  expect(catalog.entries().length).toBe(manifests.length)
})

test('every model but the starters says why one would take it', () => {
  expect(listed.filter(({ why }) => why === undefined).map(({ id }) => id)).toEqual([])
})

test('only the first transcription model labels speakers', () => {
  const diarizes = listed.filter(({ type }) => type === 'stt').map(({ capabilities }) => capabilities.diarization)
  expect(diarizes).toEqual([true, false, false, false])
})

test('the two retired names of one family differ in thinking alone', () => {
  const model = manifests.find(({ aliases }) => aliases.some(({ id }) => id === 'deepseek-chat'))
  expect(model?.aliases.find(({ id }) => id === 'deepseek-chat')?.reasoning).toBe('off')
  expect(model?.aliases.find(({ id }) => id === 'deepseek-reasoner')?.reasoning).toBe('on')
})

test.each(manifests.map((manifest) => [manifest.id, manifest] as const))(
  '%s has plausible facts and prices',
  (_, manifest) => {
    const { type, license, contextLength, dimensions, pricing } = manifest
    expect(license).toBeDefined()
    const isSmall = isStarter(manifest.id) && type !== 'vision'
    if (['chat', 'vision', 'embedding', 'rerank'].includes(type))
      expect(contextLength).toBeGreaterThanOrEqual(isSmall ? 512 : 8192)
    if (type === 'embedding') expect(dimensions).toBe(isSmall ? 256 : 1024)
    const { inputNanoUsd = 0, cachedInputNanoUsd = 0, outputNanoUsd = 0, priceNanoUsd = 0, unit } = pricing ?? {}
    if (type === 'chat' || type === 'vision') {
      expect(unit).toBe('1M_tokens')
      expect(cachedInputNanoUsd).toBeGreaterThan(0)
      expect(cachedInputNanoUsd).toBeLessThan(inputNanoUsd)
      expect(inputNanoUsd).toBeLessThan(outputNanoUsd)
      expect(outputNanoUsd).toBeLessThanOrEqual(2_000_000_000)
    } else {
      expect(priceNanoUsd).toBeGreaterThan(0)
      expect(unit).toBe(type === 'stt' ? 'minute' : type === 'tts' ? '1M_characters' : '1M_tokens')
    }
  },
)

test('every file of a model that is fetched has a role, a name, an address, and a sum or a place in the list of the unconfirmed', () => {
  for (const { id, files } of listed) {
    expect(files.length).toBeGreaterThan(0)
    for (const { role, name, url } of files)
      expect([id, role !== '', name !== '', url !== undefined]).toEqual([id, true, true, true])
  }
  const files = listed.flatMap((model) => model.files.map((file) => ({ ...file, id: model.id })))
  const without = (field: 'sha256' | 'sizeBytes') =>
    files.filter((file) => file[field] === undefined).map(({ id, name }) => `${id} ${name}`)
  const unknown = [
    'BAAI/bge-m3 model_fp16.onnx',
    'BAAI/bge-reranker-v2-m3 model_quant.onnx',
    'BAAI/bge-reranker-v2-m3 tokenizer.json',
  ]
  expect(without('sha256')).toEqual(unknown)
  expect(without('sizeBytes')).toEqual([
    'deepseek-ai/DeepSeek-R1-0528-Qwen3-8B deepseek-ai_DeepSeek-R1-0528-Qwen3-8B-Q4_K_M.gguf',
    'mistralai/Ministral-3-8B-Instruct-2512 mmproj-F32.gguf',
    ...unknown,
  ])
})

test('speech models name files of half or full precision for a GPU, as far as they have been seen at their sources', () => {
  const gpuFiles = listed.flatMap(({ id, gpuFiles = [] }) => gpuFiles.map(({ name }) => `${id} ${name}`))
  expect(gpuFiles).toEqual([
    'hexgrad/Kokoro-82M kokoro-multi-lang-v1_0',
    ...['encoder', 'decoder'].flatMap((role) =>
      ['', '.data'].map((end) => `openai/whisper-large-v3-turbo turbo-${role}.fp16.onnx${end}`),
    ),
    ...['encoder', 'decoder'].flatMap((role) =>
      ['onnx', 'weights'].map((end) => `openai/whisper-large-v3 large-v3-${role}.${end}`),
    ),
    'FunAudioLLM/SenseVoiceSmall model.onnx',
  ])
})

test('licences are named by SPDX, and what is none of those asks the operator', () => {
  const asking = listed.filter(({ acceptLicense }) => acceptLicense === true)
  const others = listed.filter(({ license }) => !['MIT', 'Apache-2.0', 'CC-BY-4.0'].includes(license ?? ''))
  expect(asking.map(({ id }) => id)).toEqual(['Supertone/supertonic-3', 'FunAudioLLM/SenseVoiceSmall'])
  expect(others).toEqual(asking)
  for (const { license, licenseUrl } of asking) {
    expect(license).toStartWith('LicenseRef-')
    expect(licenseUrl).toBeDefined()
  }
})

test('every model has prices, and transcription costs 0.002 a minute with every model', () => {
  expect(manifests.filter(({ pricing }) => pricing === undefined)).toEqual([])
  const transcription = listed.filter(({ type }) => type === 'stt').map(({ pricing }) => pricing)
  const perMinute = expect.objectContaining({ priceNanoUsd: 2_000_000, unit: 'minute' })
  expect(transcription).toEqual([perMinute, perMinute, perMinute, perMinute])
})

test('what the starter models name is in the repository', () => {
  const starters = shippedManifests.filter((_, index) => isStarter(manifests[index]?.id ?? ''))
  expect(starters.length).toBeGreaterThan(0)
  const catalog = new Catalog({
    shipped: starters,
    shippedAtMs,
    dataDir: '/nonexistent',
    shippedFile: (path) => join(root, path),
  })
  for (const { status, filePaths } of catalog.entries()) {
    expect(status).toEqual({ kind: 'ready' })
    for (const path of Object.values(filePaths)) expect(existsSync(path)).toBe(true)
  }
})

test('every common voice name has a voice, each its own where there are enough', () => {
  const distinct = manifests
    .filter(({ type }) => type === 'tts')
    .map(({ id, synthesizer }) => {
      const found = commonVoices.map((name) => synthesizer && findVoice(synthesizer, name)?.name)
      expect(found).not.toContain(undefined)
      return [id, synthesizer?.voices.length, new Set(found).size]
    })
  expect(distinct).toEqual([
    ['hexgrad/Kokoro-82M', 53, 13],
    ['Supertone/supertonic-3', 10, 10],
    ['inferd/starter-tts', 13, 13],
  ])
})

test('embedders and rerankers are read as their makers say', () => {
  const textModels = Object.fromEntries(manifests.map(({ id, encoder }) => [id, encoder]))
  const usual = { normalize: true, specialTokens: true, queryPrefix: '', documentPrefix: '', activation: 'sigmoid' }
  // Ids of the padding tokens: 1 in XLM-RoBERTa; 151643 in Qwen, which pads with the end of text.
  expect(textModels['BAAI/bge-m3']).toMatchObject({ ...usual, pooling: 'cls', padding: 'right', padTokenId: 1 })
  expect(textModels['BAAI/bge-reranker-v2-m3']).toMatchObject({ ...usual, padding: 'right', padTokenId: 1 })
  const queryPrefix = 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:'
  const qwen = { pooling: 'last', padding: 'left', padTokenId: 151_643, appendToken: '<|endoftext|>', queryPrefix }
  expect(textModels['Qwen/Qwen3-Embedding-0.6B']).toMatchObject({ ...usual, ...qwen })
})

test('the textModels that are always there are checked by golden values when they are loaded', () => {
  const starters = manifests.filter(({ id, encoder }) => isStarter(id) && encoder !== undefined)
  expect(starters.map(({ id }) => id)).toEqual(['inferd/starter-embed', 'inferd/starter-rerank'])
  for (const { encoder } of starters) {
    expect((encoder?.goldenVectors.length ?? 0) + (encoder?.goldenScores.length ?? 0)).toBeGreaterThan(1)
  }
})
