/** Detection of models in ordinary folders and in hostile ones. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { modelChunks } from '../../testing/gguf/model-file.ts'
import type { GgufValue } from '../../testing/gguf/value.ts'
import { makeOnnx } from '../../testing/store/make-onnx.ts'
import { detectModel } from './detect.ts'
import type { DetectOptions } from './found-model.ts'
import { readSource } from './read-source.ts'

const starter = join(import.meta.dir, '../../../models/starter')
/** Folder in memory, since the tests make thousands of files. */
const memory = '/dev/shm'
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'inferd-detect-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

type Files = Readonly<Record<string, string | Buffer | object>>

function write(files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    const isBytes = typeof content === 'string' || Buffer.isBuffer(content)
    writeFileSync(path, isBytes ? content : JSON.stringify(content))
  }
}

function detect(options: Partial<DetectOptions> = {}, path = folder) {
  return detectModel(readSource(path), { type: undefined, mmproj: undefined, mtp: undefined, ...options })
}

const vectors = makeOnnx({ outputs: { last_hidden_state: [undefined, undefined, 384] } })
const sentenceFiles: Files = {
  'config.json': { max_position_embeddings: 514, model_type: 'xlm-roberta', pad_token_id: 1, hidden_size: 384 },
  'tokenizer.json': '{}',
  'tokenizer_config.json': { model_max_length: 1e30, padding_side: 'right' },
  'README.md': '---\nlanguage: en\nlicense: apache-2.0\n---\n# Model',
  'modules.json': [
    { type: 'sentence_transformers.models.Transformer' },
    { type: 'sentence_transformers.models.Normalize' },
  ],
  '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false },
  'config_sentence_transformers.json': { prompts: { query: 'query: ', passage: 'passage: ' } },
}

test('an embedder is described by the files beside its graph', () => {
  write({ ...sentenceFiles, 'onnx/model.onnx': vectors })
  expect(detect()).toMatchObject({
    manifest: {
      type: 'embedding',
      engine: 'onnx',
      license: 'apache-2.0',
      contextLength: 512,
      dimensions: 384,
      encoder: { pooling: 'cls', normalize: true, padTokenId: 1, queryPrefix: 'query: ', documentPrefix: 'passage: ' },
    },
    files: [
      { role: 'model', name: 'model.onnx', path: join(folder, 'onnx/model.onnx') },
      { role: 'tokenizer', name: 'tokenizer.json', path: join(folder, 'tokenizer.json') },
    ],
    notes: [],
  })
})

test.each(['mmproj', 'mtp'])('a file that --%s adds to a model of another kind is refused', (option) => {
  write({ ...sentenceFiles, 'onnx/model.onnx': vectors })
  const message = `--${option} goes with a GGUF file, and ${folder} is none: leave it out`
  expect(() => detect({ [option]: join(folder, 'README.md') })).toThrow(message)
})

test('of several graphs the operator names one, and its side files come with it', () => {
  const large = makeOnnx({
    outputs: { sentence_embedding: [undefined, 768], token_embeddings: [undefined, undefined, 768] },
    weights: { a: 'large.onnx_data', b: 'large.onnx_data', c: undefined },
    constants: ['large.onnx_data_1'],
  })
  write({ ...sentenceFiles, 'onnx/model.onnx': vectors, 'onnx/large.onnx': large })
  expect(() => detect()).toThrow('holds 2 graphs (onnx/large.onnx, onnx/model.onnx); name the file of one')
  const named = () => detect({}, join(folder, 'onnx/large.onnx'))
  expect(named).toThrow('needs the file large.onnx_data_1 beside it, which is missing')
  write({ 'onnx/large.onnx_data': 'x', 'onnx/large.onnx_data_1': 'x' })
  const { manifest, files } = named()
  expect(manifest).toMatchObject({ dimensions: 768, encoder: { output: 'sentence_embedding', pooling: 'none' } })
  expect(files.map(({ role, name }) => `${role} ${name}`)).toEqual([
    'model large.onnx',
    'model large.onnx_data_1',
    'model large.onnx_data',
    'tokenizer tokenizer.json',
  ])
})

test('a graph that gives one number is a reranker; what gives neither is asked about', () => {
  write({ ...sentenceFiles, 'model.onnx': makeOnnx({ outputs: { logits: [undefined, 1] } }) })
  expect(detect().manifest).toMatchObject({ type: 'rerank', encoder: { pooling: 'none', queryPrefix: '' } })
  expect(detect().manifest.dimensions).toBeUndefined()
  write({ 'model.onnx': makeOnnx({ outputs: { logits: [undefined, undefined, 151_936] } }) })
  expect(() => detect()).toThrow(
    'has the outputs logits [?, ?, 151936], which are neither vectors nor scores; say what it is with --type',
  )
  expect(detect({ type: 'embedding' }).manifest.type).toBe('embedding')
  expect(() => detect({ type: 'chat' })).toThrow('--type can be embedding or rerank, not chat')
})

test('what is assumed is said', () => {
  write({ 'model.onnx': vectors, 'tokenizer.json': '{}', 'config.json': { max_position_embeddings: 512 } })
  expect(detect().manifest.encoder).toMatchObject({ pooling: 'mean', normalize: true })
  expect(detect().notes).toEqual([
    expect.stringContaining('"mean" is assumed'),
    expect.stringContaining('"normalize = true" is assumed'),
  ])
})

test.each(['/etc/passwd', '../weights', 'a/../../weights', 'a\\b', '.hidden', 'lock.json'])(
  'a graph whose weights lie at %p is refused',
  (location) => {
    write({ ...sentenceFiles, 'model.onnx': makeOnnx({ outputs: { a: [1, 1, 8] }, weights: { w: location } }) })
    expect(() => detect()).toThrow(`model.onnx names the side file ${JSON.stringify(location)}`)
  },
)

test.each<[string, Files, string]>([
  ['a graph that is cut short', { 'model.onnx': vectors.subarray(0, 60) }, 'is no ONNX graph, or is damaged'],
  [
    'a graph that names more than memory holds',
    { 'model.onnx': makeOnnx({ inputs: Array.from({ length: 10_001 }, () => 'a') }) },
    'has too many parts',
  ],
  ['random bytes', { 'model.onnx': Buffer.from('ffffffffffffffffffff', 'hex') }, 'is no ONNX graph'],
  ['JSON that is none', { 'model.onnx': vectors, 'config.json': '{' }, 'config.json is not JSON'],
  ['JSON of another form', { 'model.onnx': vectors, 'config.json': '[]' }, 'config.json is not as expected'],
  [
    'a huge config',
    { 'model.onnx': vectors, 'config.json': Buffer.alloc(5_000_000) },
    'config.json is larger than 4 MB',
  ],
  [
    'an endless context',
    { 'model.onnx': vectors, 'config.json': { max_position_embeddings: 2 ** 40 } },
    'does not say how long',
  ],
])('%s is refused', (_, files, reason) => {
  write({ ...sentenceFiles, ...files })
  expect(() => detect()).toThrow(reason)
})

test.each<[string, string, readonly string[], string]>([
  [
    'transducer',
    'stt',
    [
      'encoder-epoch-99.onnx',
      'encoder-epoch-99.int8.onnx',
      'decoder-epoch-99.onnx',
      'joiner-epoch-99.int8.onnx',
      'tokens.txt',
      'test_wavs/0.wav',
    ],
    'encoder encoder-epoch-99.int8.onnx, decoder decoder-epoch-99.onnx, joiner joiner-epoch-99.int8.onnx, tokens tokens.txt',
  ],
  [
    'whisper',
    'stt',
    ['turbo-encoder.onnx', 'turbo-encoder.int8.onnx', 'turbo-decoder.int8.onnx', 'turbo-tokens.txt'],
    'encoder turbo-encoder.int8.onnx, decoder turbo-decoder.int8.onnx, tokens turbo-tokens.txt',
  ],
  [
    'moonshine',
    'stt',
    ['preprocess.onnx', 'encode.int8.onnx', 'uncached_decode.int8.onnx', 'cached_decode.int8.onnx', 'tokens.txt'],
    'preprocessor preprocess.onnx, encoder encode.int8.onnx, uncached-decoder uncached_decode.int8.onnx, cached-decoder cached_decode.int8.onnx, tokens tokens.txt',
  ],
  [
    'zipformer-ctc',
    'stt',
    ['model.onnx', 'model.int8.onnx', 'tokens.txt', 'silero_vad.onnx'],
    'model model.int8.onnx, tokens tokens.txt, vad silero_vad.onnx',
  ],
  [
    'zipformer-ctc',
    'stt',
    ['model.onnx', 'tokens.txt', 'pyannote-segmentation-3-0.onnx', 'wespeaker_en.onnx', 'nemo_en_titanet_small.onnx'],
    'model model.onnx, tokens tokens.txt, segmentation pyannote-segmentation-3-0.onnx, speaker-embedding wespeaker_en.onnx',
  ],
  [
    'kokoro',
    'tts',
    [
      'model.onnx',
      'voices.bin',
      'tokens.txt',
      'lexicon-us-en.txt',
      'lexicon-zh.txt',
      'espeak-ng-data/lang/gmw/en',
      'espeak-ng-data/voices/!v/f1',
    ],
    'model model.onnx, voices voices.bin, tokens tokens.txt, data espeak-ng-data/lang/gmw/en, data espeak-ng-data/voices/!v/f1, lexicon lexicon-us-en.txt, lexicon lexicon-zh.txt',
  ],
  [
    'matcha',
    'tts',
    ['model-steps-3.onnx', 'vocos-22khz-univ.onnx', 'tokens.txt', 'lexicon.txt'],
    'model model-steps-3.onnx, vocoder vocos-22khz-univ.onnx, tokens tokens.txt, lexicon lexicon.txt',
  ],
  [
    'vits',
    'tts',
    ['en_US-amy-low.onnx', 'tokens.txt', 'espeak-ng-data/phontab'],
    'model en_US-amy-low.onnx, tokens tokens.txt, data espeak-ng-data/phontab',
  ],
  [
    'supertonic',
    'tts',
    [
      'duration_predictor.onnx',
      'text_encoder.onnx',
      'vector_estimator.onnx',
      'vocoder.onnx',
      'tts.json',
      'unicode_indexer.bin',
      'voice.bin',
    ],
    'duration-predictor duration_predictor.onnx, text-encoder text_encoder.onnx, vector-estimator vector_estimator.onnx, vocoder vocoder.onnx, config tts.json, unicode-indexer unicode_indexer.bin, voices voice.bin',
  ],
])('a %s of sherpa-onnx is known by its files', (kind, type, names, expected) => {
  write(
    Object.fromEntries(
      names.map((name) => [name, name.endsWith('.onnx') ? makeOnnx({ inputs: ['x', 'x_lens'] }) : 'x']),
    ),
  )
  const { facts, manifest, files } = detect()
  expect({ facts, type: manifest.type, engine: manifest.engine }).toEqual({
    facts: { kind },
    type,
    engine: 'speech',
  } as never)
  expect(files.map(({ role, name }) => `${role} ${name}`).join(', ')).toBe(expected)
})

test('a folder of sherpa-onnx with two models, or with a graph that is none, is refused', () => {
  write({ 'model-a.onnx': makeOnnx(), 'model-b.onnx': makeOnnx(), 'tokens.txt': 'x' })
  expect(() => detect()).toThrow('holds several files for "model" (model-a.onnx, model-b.onnx)')
  rmSync(join(folder, 'model-b.onnx'))
  write({ 'model-a.onnx': '<html>' })
  expect(() => detect()).toThrow('model-a.onnx is no ONNX graph')
})

test('links of a hub cache are followed to its blobs, and other links nowhere', () => {
  const snapshot = join(folder, 'models--a--b/snapshots/c0ffee')
  write({
    'models--a--b/blobs/sum1': '{}',
    'models--a--b/snapshots/c0ffee/config.json': { max_position_embeddings: 8 },
  })
  cpSync(join(starter, 'starter-rerank.onnx'), join(folder, 'models--a--b/blobs/sum2'))
  symlinkSync('../../blobs/sum1', join(snapshot, 'tokenizer.json'))
  symlinkSync('../../blobs/sum2', join(snapshot, 'model.onnx'))
  expect(detect({}, snapshot).manifest.type).toBe('rerank')
  rmSync(join(snapshot, 'tokenizer.json'))
  symlinkSync('/etc/hostname', join(snapshot, 'tokenizer.json'))
  expect(() => detect({}, snapshot)).toThrow('tokenizer.json is a link that leads out of the folder')
})

test('loops of links, FIFOs and thousands of files are no danger', () => {
  write(sentenceFiles)
  cpSync(join(starter, 'starter-embed.onnx'), join(folder, 'model.onnx'))
  symlinkSync('.', join(folder, 'loop'))
  symlinkSync('self', join(folder, 'self'))
  expect(Bun.spawnSync(['mkfifo', join(folder, 'pipe.gguf'), join(folder, 'tokens.txt')]).exitCode).toBe(0)
  expect(detect().manifest.type).toBe('embedding')
  const names = Array.from({ length: 10_001 }, (_, index) => join(folder, `file${index}`))
  expect(Bun.spawnSync(['xargs', 'touch'], { stdin: Buffer.from(names.join('\n')) }).exitCode).toBe(0)
  expect(() => detect()).toThrow('holds more than 10000 files')
  expect(detect({}, join(folder, 'model.onnx')).manifest.type).toBe('embedding')
})

/** Returns a GGUF file of one tensor. */
function gguf(facts: Readonly<Record<string, string | number | boolean>>): Buffer {
  const values = Object.entries(facts).map(([key, value]): [string, GgufValue] => {
    if (typeof value === 'boolean') return [key, { type: 'bool', value }]
    return [key, typeof value === 'string' ? { type: 'string', value } : { type: 'uint32', value }]
  })
  const tensors = [{ name: 'w', dimensions: [8], type: 'f32', fill: { kind: 'constant', value: 0 } } as const]
  return Buffer.concat([...modelChunks({ metadata: new Map(values), tensors, seed: 1 })])
}

test('any part of a split model is all of it', () => {
  const facts = { 'general.architecture': 'qwen3', 'split.count': 3 }
  for (const part of [1, 2, 3])
    write({ [`m-0000${part}-of-00003.gguf`]: gguf(part === 1 ? facts : { 'split.count': 3 }) })
  for (const part of [1, 3]) {
    const { files } = detect({}, join(folder, `m-0000${part}-of-00003.gguf`))
    expect(files.map(({ role, name }) => `${role} ${name}`)).toEqual(
      [1, 2, 3].map((each) => `model m-0000${each}-of-00003.gguf`),
    )
  }
  expect(detect().files).toHaveLength(3)
  rmSync(join(folder, 'm-00002-of-00003.gguf'))
  expect(() => detect()).toThrow('its part 2 of 3 is missing')
})

const projectorFacts = { 'general.architecture': 'clip', 'clip.has_vision_encoder': true }
const roles = ({ files }: { files: readonly { role: string }[] }) => files.map(({ role }) => role)

test('a projector that was made for the model is offered beside a file, and taken in a folder', () => {
  const facts = { 'general.basename': 'Vision', 'general.size_label': '8B' }
  write({
    'model.gguf': gguf({ ...facts, 'general.architecture': 'qwen3vl' }),
    'mmproj-f16.gguf': gguf({ ...facts, ...projectorFacts }),
  })
  const file = join(folder, 'model.gguf')
  const mmproj = join(folder, 'mmproj-f16.gguf')
  expect(detect({}, file)).toMatchObject({
    manifest: { type: 'chat' },
    notes: [expect.any(String), expect.stringContaining(`--mmproj ${mmproj}`)],
  })
  expect(roles(detect({ mmproj }, file))).toEqual(['model', 'mmproj'])
  expect(detect({ mmproj }, file).manifest.type).toBe('vision')
  expect(detect()).toMatchObject({ manifest: { type: 'vision' }, files: [{ role: 'model' }, { role: 'mmproj' }] })
  expect(roles(detect({ mtp: file }, file))).toEqual(['model', 'mtp'])
  expect(() => detect({ mtp: mmproj }, file)).toThrow('is no draft head')
  expect(() => detect({ mmproj: file }, file)).toThrow('is no projector (architecture "qwen3vl")')
  write({ 'mmproj-f16.gguf': gguf({ ...facts, ...projectorFacts, 'general.size_label': '2B' }) })
  expect(detect({}, file).notes).toHaveLength(1)
  write({ 'other.gguf': gguf({ 'general.architecture': 'llama' }) })
  expect(() => detect()).toThrow('holds 2 models (model.gguf, other.gguf); name the file of one')
})

test('a projector has the width of its model, where its file says which model it is for', () => {
  const projector = (width: number, type = 'mmproj') =>
    gguf({ ...projectorFacts, 'general.type': type, 'clip.vision.projection_dim': width })
  write({
    'model.gguf': gguf({ 'general.architecture': 'qwen3', 'qwen3.embedding_length': 2048 }),
    'narrow-mmproj.gguf': projector(1024),
    'old-mmproj.gguf': projector(768, 'model'),
  })
  const [file, mmproj] = [join(folder, 'model.gguf'), join(folder, 'narrow-mmproj.gguf')]
  expect(roles(detect())).toEqual(['model'])
  expect(() => detect({ mmproj }, file)).toThrow(
    `${mmproj} was made for a model of width 1024, and this one's is 2048: take the projector from where the model is from`,
  )
  expect(roles(detect({ mmproj: join(folder, 'old-mmproj.gguf') }, file))).toEqual(['model', 'mmproj'])
  write({ 'mmproj.gguf': projector(2048) })
  expect(roles(detect())).toEqual(['model', 'mmproj'])
})

test('a projector for sound makes a model hear and not see', () => {
  write({
    'model.gguf': gguf({ 'general.architecture': 'qwen3' }),
    'mmproj.gguf': gguf({ 'general.architecture': 'clip', 'clip.has_audio_encoder': true }),
  })
  const mmproj = join(folder, 'mmproj.gguf')
  const hearing = { manifest: { type: 'chat', capabilities: { audio: true } } }
  expect(detect({ mmproj }, join(folder, 'model.gguf'))).toMatchObject(hearing)
})

test('the starter model and its projector are found as one model', () => {
  for (const name of ['starter-chat-q8_0.gguf', 'starter-chat-mmproj-f16.gguf'])
    cpSync(join(starter, name), join(folder, name))
  expect(detect()).toMatchObject({ manifest: { type: 'vision' }, files: [{ role: 'model' }, { role: 'mmproj' }] })
})

test('what is no model is not taken for one', () => {
  write({ 'notes.txt': 'hello', 'weights.gguf': 'not a GGUF file' })
  expect(() => detect()).toThrow('is not a model that inferd recognises')
  expect(() => detect({}, join(folder, 'weights.gguf'))).toThrow('is not a model that inferd recognises')
  expect(() => detect({}, join(folder, 'nothing'))).toThrow('nothing does not exist')
})
