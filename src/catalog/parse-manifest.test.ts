import { expect, test } from 'bun:test'
import { parseManifest } from './parse-manifest.ts'

const sound = {
  id: 'org/model',
  type: 'chat',
  engine: 'llama',
  context_length: 4096,
  aliases: [{ id: 'short' }, { id: 'thinking', reasoning: 'on' }],
  files: [{ role: 'model', url: 'hf://org/repository/model.gguf', bytes: 10 }],
  pricing: { input: 0.08, cached_input: 0.02, output: 0.35, unit: '1M_tokens' },
  capabilities: { tools: true, reasoning: 'toggle' },
  defaults: { temperature: 0.3, top_p: 0.9, reasoning: 'off' },
}

const projector = { role: 'mmproj', path: 'mmproj.gguf' }

function problemOf(change: object): string {
  try {
    // The round trip through JSON removes undefined fields.
    parseManifest('models/x.toml', JSON.parse(JSON.stringify({ ...sound, ...change })))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'accepted'
}

test('a manifest becomes what the program works with, prices in nano-USD', () => {
  expect(parseManifest('models/x.toml', sound)).toEqual({
    id: 'org/model',
    type: 'chat',
    engine: 'llama',
    license: undefined,
    contextLength: 4096,
    dimensions: undefined,
    aliases: [{ id: 'short' }, { id: 'thinking', reasoning: 'on' }],
    files: [{ role: 'model', name: 'model.gguf', url: 'hf://org/repository/model.gguf', sizeBytes: 10 }],
    pricing: {
      inputNanoUsd: 80_000_000,
      cachedInputNanoUsd: 20_000_000,
      outputNanoUsd: 350_000_000,
      priceNanoUsd: undefined,
      unit: '1M_tokens',
    },
    capabilities: { tools: true, reasoning: 'toggle' },
    encoder: undefined,
    defaults: { temperature: 0.3, topP: 0.9, topK: undefined, minP: undefined, reasoning: 'off' },
  })
})

test('a manifest that an earlier build wrote may say whether the model sees', () => {
  expect(problemOf({ capabilities: { tools: true, vision: true } })).toBe('accepted')
})

test('a manifest has settings of its engine', () => {
  const { settings } = parseManifest('x', { ...sound, llama: { context_tokens: 8192, device: 'cpu' } })
  expect(settings).toEqual({ contextTokens: 8192, device: 'cpu' })
})

test('limits of answers stand beside the other defaults', () => {
  const { defaults } = parseManifest('x', { ...sound, defaults: { max_tokens: 1024, repetition_detection: false } })
  expect(defaults).toMatchObject({ maxTokens: 1024, repetitionDetection: false })
  expect(() => parseManifest('x', { ...sound, defaults: { max_tokens: 0 } })).toThrow('defaults.max_tokens')
})

test.each([
  [{ context_lenght: 1 }, 'unknown field "context_lenght" (did you mean "context_length"?)'],
  [{ files: [{ role: 'model', sha265: 'x', path: 'a' }] }, 'unknown field "files[0].sha265" (did you mean "sha256"?)'],
  [{ pricing: { inptu: 1, unit: 'minute' } }, 'unknown field "pricing.inptu" (did you mean "input"?)'],
  [{ id: undefined }, '"id" is missing'],
  [{ files: [{ path: 'a' }] }, '"files[0].role" is missing'],
  [{ id: 'no-organisation' }, '"id" must be <org>/<model-name>, not "no-organisation"'],
  [{ id: '../escape' }, '"id" must be <org>/<model-name>, not "../escape"'],
  [{ id: 'a/b/c' }, '"id" must be <org>/<model-name>, not "a/b/c"'],
  [
    { type: 'video' },
    '"type" must be one of chat, vision, embedding, rerank, tts, stt, image, moderation, not "video"',
  ],
  [{ context_length: 0 }, '"context_length" must be a number of tokens from 1 to 16777216, not 0'],
  [{ context_length: 2 ** 31 }, '"context_length" must be a number of tokens from 1 to 16777216, not 2147483648'],
  [{ defaults: { top_k: 2 ** 31 } }, '"defaults.top_k" must be a whole number from 0 to 1000000, not 2147483648'],
  [{ defaults: { min_p: 1.1 } }, '"defaults.min_p" must be a number from 0 to 1, not 1.1'],
  [{ dimensions: 1e9 }, '"dimensions" must be a whole number from 1 to 1000000, not 1000000000'],
  [{ context_length: '4k' }, '"context_length" must be a number of tokens from 1 to 16777216, not "4k"'],
  [{ aliases: ['short'] }, '"aliases[0]" must be a table with an id, not "short"'],
  [{ aliases: [{ id: 'a', reasoning: 'maybe' }] }, '"aliases[0].reasoning" must be one of off, on, not "maybe"'],
  [{ defaults: { temperature: 3 } }, '"defaults.temperature" must be a number from 0 to 2, not 3'],
  [
    { pricing: { input: -1, output: 1, unit: '1M_tokens' } },
    '"pricing.input" must be a price in USD, 0 or more, not -1',
  ],
  [
    { files: [{ role: 'model', path: 'a', sha256: 'XYZ' }] },
    '"files[0].sha256" must be 64 hexadecimal digits, not "XYZ"',
  ],
  [{ files: [{ role: 'model' }] }, 'the file with role "model" needs a url or a path'],
  [{ lama: {} }, 'unknown field "lama" (did you mean "llama"?)'],
  [{ llama: { threds: 1 } }, 'unknown setting "llama.threds" (did you mean "threads"?)'],
  [{ onnx: {} }, '"onnx" has settings of another engine than the model\'s (did you mean "llama"?)'],
  [{ files: [] }, 'engine "llama" needs a file with role "model"'],
  [{ accept_license: true }, '"accept_license" needs a "license": the one that is to be accepted'],
  [
    {
      files: [
        { role: 'model', path: 'a' },
        { role: 'model', path: 'b/c' },
      ],
    },
    'the files with role "model" must lie in one folder: the first is opened and finds the others',
  ],
  [
    { pricing: { input: 1, unit: '1M_tokens' } },
    '"pricing": a chat model has input and output (and cached_input where it differs), and no price',
  ],
  [
    { pricing: { price: 1, input: 1, output: 1, unit: '1M_tokens' } },
    '"pricing": a chat model has input and output (and cached_input where it differs), and no price',
  ],
  [
    { pricing: { input: 1, output: 1, unit: 'minute' } },
    '"pricing": the unit of a chat model must be "1M_tokens", not "minute"',
  ],
  [
    { type: 'stt', engine: 'fake', pricing: { price: 1, unit: '1M_tokens' } },
    '"pricing": the unit of an stt model must be "minute", not "1M_tokens"',
  ],
  [
    { type: 'tts', engine: 'fake', pricing: { input: 1, output: 1, unit: '1M_characters' } },
    '"pricing": a tts model has one price, and no input or output',
  ],
  [
    { type: 'embedding', engine: 'fake', pricing: { price: 1, cached_input: 1, unit: '1M_tokens' } },
    '"pricing": an embedding model has one price, and no input or output',
  ],
  [
    { pricing: { input: 0.1, cached_input: 0.2, output: 1, unit: '1M_tokens' } },
    '"pricing": cached_input (0.2) must not be above input (0.1)',
  ],
  [{ type: 'vision' }, 'engine "llama" needs a file with role "mmproj" for models that see or hear'],
  [
    { files: [...sound.files, projector] },
    'a file with role "mmproj" is for models of type vision, or with audio = true in [capabilities]',
  ],
  [
    { type: 'vision', files: [...sound.files, projector, { role: 'mmproj', path: 'other.gguf' }] },
    'a model has one file with role "mmproj"',
  ],
  [{ capabilities: { audio: true } }, 'engine "llama" needs a file with role "mmproj" for models that see or hear'],
  [
    { type: 'chat', engine: 'fake', capabilities: { audio: true } },
    '"capabilities.audio" is for models of type chat and vision of engine "llama"',
  ],
  [
    { type: 'embedding', engine: 'fake', files: [projector] },
    'a file with role "mmproj" is for models of type vision, or with audio = true in [capabilities]',
  ],
])('%j is refused, naming file and field', (change, problem) => {
  expect(problemOf(change)).toBe(`models/x.toml: ${problem}`)
})

test('a model with a projector sees, and what has no files here sees by its type alone', () => {
  expect(problemOf({ type: 'vision', files: [...sound.files, projector] })).toBe('accepted')
  expect(problemOf({ type: 'vision', engine: 'fake', files: [] })).toBe('accepted')
})

test('numbers that only TOML can write are refused', () => {
  for (const text of ['context_length = inf', 'defaults = { temperature = nan }', 'defaults = { top_k = 1e400 }']) {
    expect(() => parseManifest('models/x.toml', { ...sound, ...Bun.TOML.parse(text) })).toThrow('must be a')
  }
})

test('what is no table at all is refused', () => {
  for (const content of [undefined, null, 'text', 3, []]) {
    expect(() => parseManifest('models/x.toml', content)).toThrow('models/x.toml')
  }
})

const embedder = {
  id: 'org/embedder',
  type: 'embedding',
  engine: 'onnx',
  context_length: 512,
  files: [
    { role: 'model', path: 'model.onnx' },
    { role: 'tokenizer', path: 'tokenizer.json' },
  ],
  pricing: undefined,
  capabilities: undefined,
  defaults: undefined,
  aliases: undefined,
  encoder: { pooling: 'mean' },
}

test('what a text model leaves out is filled in', () => {
  const golden = [{ text: 'a', input_type: 'query', values: [0.1, 0.2, 0.3, 0.4] }]
  const encoder = { pooling: 'last', padding: 'left', query_prefix: 'q: ', golden }
  const { encoder: parsed } = parseManifest('x', JSON.parse(JSON.stringify({ ...embedder, encoder })))
  expect(parsed).toEqual({
    output: undefined,
    pooling: 'last',
    normalize: true,
    padding: 'left',
    padTokenId: 0,
    specialTokens: true,
    appendToken: undefined,
    dropToken: undefined,
    queryPrefix: 'q: ',
    documentPrefix: '',
    pairTemplate: undefined,
    activation: 'sigmoid',
    answerTokens: undefined,
    goldenVectors: [{ text: 'a', inputType: 'query', values: [0.1, 0.2, 0.3, 0.4] }],
    goldenScores: [],
  })
})

test.each([
  [{ encoder: undefined }, 'engine "onnx" needs a table "encoder" for models of type embedding'],
  [{ context_length: undefined }, 'engine "onnx" needs "context_length" for models of type embedding'],
  [
    { files: [{ role: 'model', path: 'a' }] },
    'engine "onnx" needs a file with role "tokenizer" for models of type embedding',
  ],
  [{ type: 'chat', engine: 'onnx', encoder: undefined }, 'engine "onnx" has no models of type "chat"'],
  [{ engine: 'llama' }, 'engine "llama" has no models of type "embedding"'],
  [{ type: 'chat', engine: 'fake' }, '"encoder" is for models of type embedding and rerank'],
  [
    { encoder: { pooling: 'max' } },
    '"encoder.pooling" must be one of mean, cls, last, none, not "max" (did you mean "mean"?)',
  ],
  [{ encoder: { poling: 'cls' } }, 'unknown field "encoder.poling" (did you mean "pooling"?)'],
  [
    { encoder: { pair_template: { prefix: '', body: '{document}{query}', suffix: '' } } },
    '"encoder.pair_template.body" must be text with {query} that ends with {document}, not "{document}{query}"',
  ],
  [
    { encoder: { golden: [{ text: 'a', values: [1] }] } },
    '"encoder.golden[0]" must be a table of text and at least 4 values, or of query, document and score, not {"text":"a","values":[1]}',
  ],
  [
    { encoder: { golden: [{ query: 'a', document: 'b', score: 1 }] } },
    'an embedding model has golden values, not scores',
  ],
  [
    { type: 'rerank', encoder: { golden: [{ text: 'a', values: [1, 2, 3, 4] }] } },
    'a rerank model has golden scores, not values',
  ],
])('a text model with %j is refused', (change, problem) => {
  expect(problemOf({ ...embedder, ...change })).toBe(`models/x.toml: ${problem}`)
})
