/** The starter models on the real engine, in a child process. */
import { afterAll, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parseManifest } from '../../catalog/parse-manifest.ts'
import type { InstalledModel } from '../../core/model.ts'
import type { TextModelSettings } from '../../core/text-model-settings.ts'
import { cosine } from '../../engines/onnx/text/golden.ts'
import { type AttentionPlan, attentionEncoder } from '../../testing/attention-encoder.ts'
import { starterTextModel, startTextModels } from '../../testing/starter-text-models.ts'
import { testEncoder } from '../../testing/test-encoder.ts'
import type { Estimate } from '../protocol/request-events.ts'

const embedder = starterTextModel('embedding')
const reranker = starterTextModel('rerank')
const shared = startTextModels({ threads: 4 })
const folder = mkdtempSync(join(tmpdir(), 'inferd-onnx-'))

afterAll(async () => {
  await shared.pool.stop()
  rmSync(folder, { recursive: true })
})

/** Folder of a third-party embedder, if it is there. */
const potionFolder = join(import.meta.dir, '../../../../shared/data/embedding')

const sentences = [
  'How do I reset my password?',
  'x',
  'Größe, naïve café – 東京',
  'The river flows through the old town and under three bridges. '.repeat(30),
  'Bake the bread for forty minutes. '.repeat(4),
  '🎉🎉',
  'A man is playing a guitar on the stage in front of a large crowd of people.',
]

test('vectors have length 1, and the same text has the same one', async () => {
  const [first = [], second = [], other = []] = await shared.embed(embedder, 'moon', 'moon', 'reset my password')
  expect(Math.hypot(...first)).toBeCloseTo(1, 5)
  expect([...second]).toEqual([...first])
  expect(cosine(first, other)).toBeLessThan(0.9)
})

test('a text has the same vector alone and beside others of any length', async () => {
  const together = await shared.embed(embedder, ...sentences)
  for (const [index, sentence] of sentences.entries()) {
    const [alone = []] = await shared.embed(embedder, sentence)
    expect(cosine(alone, together[index] ?? [])).toBeGreaterThan(0.9999)
  }
})

test('a pair has the same score alone and beside others', async () => {
  const query = 'reset password'
  const { result } = await shared.run(reranker, { kind: 'rerank', request: { query, documents: sentences } })
  for (const [index, document] of sentences.entries()) {
    const alone = await shared.run(reranker, { kind: 'rerank', request: { query, documents: [document] } })
    expect(alone.result.values[0]).toBeCloseTo(result.values[index] ?? -1, 4)
  }
  expect(result.values.indexOf(Math.max(...result.values))).toBe(0)
  for (const score of result.values) expect(score >= 0 && score <= 1).toBe(true)
})

test('fewer dimensions are the leading ones, scaled again', async () => {
  const ask = (dimensions: number | undefined) =>
    shared.run(embedder, { kind: 'embed', request: { inputs: ['moon', 'sun'], dimensions } })
  const whole = (await ask(undefined)).result
  const cut = (await ask(64)).result
  expect(cut).toMatchObject({ dimensions: 64 })
  expect(cut.values.length).toBe(128)
  expect(cosine(cut.values.subarray(64), whole.values.subarray(256, 320))).toBeCloseTo(1, 5)
  expect(Math.hypot(...cut.values.subarray(64))).toBeCloseTo(1, 5)
  await expect(ask(257)).rejects.toMatchObject({ kind: 'invalid_request', param: 'dimensions' })
})

test('every token that is computed is counted', async () => {
  const before = await shared.pool.stats(embedder.manifest.id)
  const usages = await Promise.all(
    sentences.map(
      async (sentence) => (await shared.run(embedder, { kind: 'embed', request: { inputs: [sentence, 'x'] } })).usage,
    ),
  )
  const after = await shared.pool.stats(embedder.manifest.id)
  const counted = (after?.decodedPromptTokens ?? 0) - (before?.decodedPromptTokens ?? 0)
  expect(counted).toBe(usages.reduce((sum, { promptTokens }) => sum + promptTokens, 0))
  expect(counted).toBeGreaterThan(300)
})

test('10,000 texts of any kind are embedded or refused with a reason', async () => {
  const kinds = [
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.string({ maxLength: 2000 }),
  ]
  const odd = [
    '\0',
    '\u200b\u200d\ufeff',
    '\ud800',
    '\r\n\t',
    'a'.repeat(100_000),
    '😀'.repeat(25_000),
    ' '.repeat(100_000),
    '\u0301'.repeat(3_000),
  ]
  const texts = [...odd, ...fc.sample(fc.oneof(...kinds), { numRuns: 10_000 - odd.length, seed: 7 })]
  const outcomes = new Map<string, number>()
  const requests = Array.from({ length: 100 }, (_, index) => texts.slice(index * 100, index * 100 + 100))
  await Promise.all(
    requests.map(async (inputs) => {
      for (;;) {
        try {
          const { result } = await shared.run(embedder, { kind: 'embed', request: { inputs } })
          expect(result.values.length).toBe(inputs.length * 256)
          outcomes.set('embedded', (outcomes.get('embedded') ?? 0) + inputs.length)
          return
        } catch (error) {
          const { code, param = '' } = error as { code: string; param?: string } // other errors fail below
          expect(code).toBe('context_length_exceeded')
          outcomes.set(code, (outcomes.get(code) ?? 0) + 1)
          inputs.splice(Number(/\d+/.exec(param)?.[0]), 1)
        }
      }
    }),
  )
  expect((outcomes.get('embedded') ?? 0) + (outcomes.get('context_length_exceeded') ?? 0)).toBe(10_000)
  expect(outcomes.get('context_length_exceeded')).toBeGreaterThanOrEqual(2)
  expect(shared.pool.status().find(({ modelId }) => modelId === embedder.manifest.id)).toMatchObject({ restarts: 0 })
}, 60_000)

test('another model runs by its manifest alone', async () => {
  if (!existsSync(potionFolder)) return // not part of the product
  const content = {
    id: 'minishlab/potion-base-2M',
    type: 'embedding',
    engine: 'onnx',
    context_length: 512,
    dimensions: 64,
    files: [
      { role: 'model', path: 'potion-base-2M.onnx' },
      { role: 'tokenizer', path: 'tokenizer.json' },
    ],
    encoder: { pooling: 'none', special_tokens: false, drop_token: '[UNK]' },
  }
  const filePaths = {
    model: join(potionFolder, 'potion-base-2M.onnx'),
    tokenizer: join(potionFolder, 'tokenizer.json'),
  }
  const potion: InstalledModel = { manifest: parseManifest('potion.toml', content), filePaths }
  const [guitar = [], strumming = [], bread = []] = await shared.embed(
    potion,
    'A man is playing a guitar.',
    'Someone is strumming a guitar.',
    'Bake bread with flour and yeast.',
  )
  expect(guitar.length).toBe(64)
  expect(cosine(guitar, strumming)).toBeGreaterThan(0.4)
  expect(cosine(guitar, bread)).toBeLessThan(0.2)
})

describe('what cannot be right is said when the model is loaded', () => {
  async function failedLoad(model: InstalledModel): Promise<string> {
    await using models = startTextModels({ threads: 1 })
    await expect(models.embed(model, 'x')).rejects.toMatchObject({ kind: 'unavailable', code: 'model_unavailable' })
    return models.pool.status()[0]?.failedLoad ?? ''
  }

  test('a damaged model file', async () => {
    const model = join(folder, 'damaged.onnx')
    const bytes = readFileSync(embedder.filePaths.model ?? '')
    writeFileSync(model, bytes.subarray(0, bytes.length / 2))
    expect(await failedLoad(starterTextModel('embedding', {}, { model }))).toMatch(/protobuf|parsing|onnx/i)
    writeFileSync(model, 'not a model')
    expect(await failedLoad(starterTextModel('embedding', {}, { model }))).toMatch(/protobuf|parsing|onnx/i)
  })

  test('a damaged tokenizer', async () => {
    const tokenizer = join(folder, 'tokenizer.json')
    writeFileSync(tokenizer, '{"model": 1}')
    expect(await failedLoad(starterTextModel('embedding', {}, { tokenizer }))).toContain('tokenizer')
  })

  test('the tokenizer of a model with more tokens', async () => {
    const tokenizer = join(folder, 'wider.json')
    const content = JSON.parse(readFileSync(embedder.filePaths.tokenizer ?? '', 'utf8'))
    content.model.vocab['wider than the model'] = 20_000
    writeFileSync(tokenizer, JSON.stringify(content))
    expect(await failedLoad(starterTextModel('embedding', { goldenVectors: [] }, { tokenizer }))).toContain(
      'may not belong together',
    )
  })

  test('the tokenizer of another model, by the golden values', async () => {
    const tokenizer = join(folder, 'other.json')
    const content = JSON.parse(readFileSync(embedder.filePaths.tokenizer ?? '', 'utf8'))
    const words = Object.keys(content.model.vocab)
    content.model.vocab = Object.fromEntries(
      words.map((word, index) => [word, index < 5 ? index : 5 + ((index * 7) % (words.length - 5))]),
    )
    writeFileSync(tokenizer, JSON.stringify(content))
    expect(await failedLoad(starterTextModel('embedding', {}, { tokenizer }))).toContain('do not fit its manifest')
  })

  test('the wrong pooling, by the golden values', async () => {
    expect(await failedLoad(starterTextModel('embedding', { pooling: 'cls' }))).toContain('do not fit its manifest')
  })

  test('an output that is not there', async () => {
    expect(await failedLoad(starterTextModel('embedding', { output: 'sentence' }))).toContain(
      'it has last_hidden_state',
    )
  })
})

test('a graph pools itself, unless padding would spoil what it gives', async () => {
  const inside = ', pooling in the graph'
  await using models = startTextModels({ threads: 1 })
  const load = async (id: string, brokenToken?: number) => {
    const model = join(folder, `${id.replace('/', '-')}.onnx`)
    writeFileSync(model, testEncoder({ vocabulary: 20_000, brokenToken }).content)
    const installed = starterTextModel('embedding', { goldenVectors: [], padTokenId: 19_999 }, { model })
    const vectors = await models.embed(
      { ...installed, manifest: { ...installed.manifest, id } },
      'moon',
      'the moon and me',
    )
    return { vectors, description: models.pool.status().find(({ modelId }) => modelId === id)?.info?.description }
  }
  const whole = await load('test/whole')
  const broken = await load('test/broken', 19_999)
  expect(whole.description).toEndWith(inside)
  expect(broken.description).not.toEndWith(inside)
  for (const [text, vector] of broken.vectors.entries())
    expect(cosine(vector, whole.vectors[text] ?? [])).toBeCloseTo(1, 6)
})

test('attention is fused where that gives the same', async () => {
  const vocabulary = JSON.parse(readFileSync(embedder.filePaths.tokenizer ?? '', 'utf8')).model.vocab
  const last = Object.keys(vocabulary).length - 1
  await using models = startTextModels({ threads: 1 })
  const load = async (id: string, plan: AttentionPlan, settings: Partial<TextModelSettings> = {}) => {
    const model = join(folder, `${id}.onnx`)
    writeFileSync(model, attentionEncoder({ vocabulary: last + 1, ...plan }))
    const installed = starterTextModel('embedding', { goldenVectors: [], ...settings }, { model })
    const vectors = await models.embed({ ...installed, manifest: { ...installed.manifest, id } }, ...sentences)
    return { vectors, description: models.pool.status().find(({ modelId }) => modelId === id)?.info?.description }
  }
  const fused = await load('fused', {})
  expect(fused.description).toEndWith(', pooling in the graph, fused attention')
  // A model padded on the left is not fused.
  const own = await load('own', {}, { padding: 'left' })
  expect(own.description).toEndWith(', pooling in the graph')
  for (const [text, vector] of own.vectors.entries())
    expect(cosine(vector, fused.vectors[text] ?? [])).toBeCloseTo(1, 5)
  expect(models.lines).toEqual([])
  // Nor is a model whose mask fails to hide padding in the trial, nor one whose mask hides a token by its id.
  const weak = await load('weak', { mask: { kind: 'weak', limit: 0 } })
  expect(weak.description).toEndWith(', pooling in the graph')
  expect(models.lines).toEqual([expect.stringContaining("its attention is computed by the graph's own nodes")])
  const picky = await load('picky', { mask: { kind: 'token', limit: last } })
  expect(picky.description).toEndWith(', pooling in the graph')
  for (const [text, vector] of picky.vectors.entries())
    expect(cosine(vector, fused.vectors[text] ?? [])).toBeCloseTo(1, 5)
})

test('weights that lie beside a graph count when its threads are shared out: copies of them cost memory', async () => {
  const model = join(folder, 'with-weights.onnx')
  copyFileSync(embedder.filePaths.model ?? '', model)
  const place = async () => {
    await using models = startTextModels({ threads: 4 })
    await models.embed(starterTextModel('embedding', {}, { model }), 'x')
    return models.pool.status()[0]?.info?.description
  }
  expect(await place()).toContain('2 x 2 CPU threads')
  writeFileSync(`${model}_data`, '')
  truncateSync(`${model}_data`, 2 * 2 ** 30) // takes no room on the disk
  expect(await place()).toContain('1 x 4 CPU threads')
})

test('a client that leaves takes its waiting texts along', async () => {
  await using models = startTextModels({ threads: 1 })
  await models.embed(embedder, 'x')
  const before = (await models.pool.stats(embedder.manifest.id))?.decodedPromptTokens ?? 0
  const client = new AbortController()
  const long = sentences[3] ?? ''
  const inputs = Array<string>(500).fill(long)
  let promptTokens = 0
  let computedTokens = -1
  const meter = {
    begin: async ({ most }: Estimate) => {
      promptTokens = most.promptTokens
      return { limit: most, isFinal: true }
    },
    extend: () => Promise.reject(new Error('never')),
    cancelled: (usage: { promptTokens: number }) => {
      computedTokens = usage.promptTokens
    },
  }
  const events = models.pool.run(
    embedder,
    { kind: 'embed', request: { inputs } },
    { accountId: 'a', signal: client.signal, meter },
  )
  expect((await events.next()).value).toMatchObject({ type: 'start' })
  client.abort(new Error('left'))
  await expect(events.next()).rejects.toThrow('left')
  expect(computedTokens > 0 && computedTokens < promptTokens / 2).toBe(true)
  const after = (await models.pool.stats(embedder.manifest.id))?.decodedPromptTokens ?? 0
  expect(after - before).toBe(computedTokens)
})
