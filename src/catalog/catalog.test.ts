import { beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { PriceOverride } from '../core/model.ts'
import { tinyGguf } from '../testing/gguf/tiny-gguf.ts'
import { Catalog, type ShippedManifest } from './catalog.ts'
import { writePullNote } from './pull-note.ts'

const shipped: readonly ShippedManifest[] = [
  {
    file: 'models/chat/big.toml',
    content: {
      id: 'org/big',
      type: 'chat',
      engine: 'llama',
      aliases: [{ id: 'gpt-4o' }, { id: 'big-thinking', reasoning: 'on' }],
      files: [{ role: 'model', url: 'hf://org/repository/big.gguf' }],
    },
  },
  {
    file: 'models/chat/small.toml',
    content: {
      id: 'org/small',
      type: 'chat',
      engine: 'llama',
      files: [{ role: 'model', path: '../starter/small.gguf' }],
    },
  },
  {
    file: 'models/tts/voice.toml',
    content: {
      id: 'org/voice',
      type: 'tts',
      engine: 'fake',
      files: [{ role: 'model', url: 'https://example.com/voice.bin' }],
    },
  },
]

let dataDir = ''

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'inferd-catalog-'))
})

function open(shippedFile: (path: string) => string | undefined = (path) => join(dataDir, 'program', path)): Catalog {
  return new Catalog({ shipped, shippedAtMs: 1000, dataDir, shippedFile })
}

function put(path: string, content: string | Uint8Array): string {
  const full = join(dataDir, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, content)
  return full
}

function manifest(name: string, ...lines: string[]): string {
  return put(`models.d/${name}.toml`, ['type = "chat"', 'engine = "fake"', ...lines, ''].join('\n'))
}

function ids(catalog: Catalog): string[] {
  return catalog.entries().map((entry) => entry.manifest.id)
}

function problemsOf(catalog: Catalog): string[] {
  return catalog.problems().map(({ file, reason }) => `${file}: ${reason}`)
}

function statusOf(catalog: Catalog, id: string): unknown {
  return catalog.resolve(id)?.entry.status
}

test('ids and aliases lead to the model, an alias with the default it carries', () => {
  const catalog = open()
  expect(catalog.resolve('org/big')).toMatchObject({ requestedId: 'org/big', entry: { manifest: { id: 'org/big' } } })
  expect(catalog.resolve('org/big')?.alias).toBeUndefined()
  expect(catalog.resolve('big-thinking')?.alias).toEqual({ id: 'big-thinking', reasoning: 'on' })
  expect(catalog.resolve('gpt-4o')?.requestedId).toBe('gpt-4o')
  for (const unknown of ['', 'big', 'ORG/BIG', 'toString', '__proto__'])
    expect(catalog.resolve(unknown)).toBeUndefined()
})

test('models that can be used now come first, otherwise the shipped ones and then the operator’s', () => {
  manifest('own', 'id = "me/own"')
  manifest('second', 'id = "me/second"')
  const catalog = open()
  expect(ids(catalog)).toEqual(['org/small', 'me/own', 'me/second', 'org/big', 'org/voice'])
})

test('a file that is written or replaced is another version of its model, one that is carried never', () => {
  const path = put('own.gguf', tinyGguf())
  put('models/starter/small.gguf', tinyGguf())
  manifest('own', 'id = "me/own"', '[[files]]', 'role = "model"', `path = "${path}"`)
  const catalog = open()
  const version = (id: string) => catalog.resolve(id)?.entry.filesVersion
  const [first, carried] = [version('me/own'), version('org/small')]
  expect(version('me/own')).toBe(first)
  utimesSync(path, 1, 1)
  const second = version('me/own')
  expect(second).not.toBe(first)
  rmSync(path)
  expect([first, second]).not.toContain(version('me/own'))
  put('program/models/starter/small.gguf', tinyGguf())
  expect(version('org/small')).toBe(carried)
})

test('a model is available until its file lies in its folder, and then ready', () => {
  const catalog = open()
  expect(statusOf(catalog, 'org/big')).toEqual({ kind: 'available' })
  const path = put('models/org/big/big.gguf', tinyGguf())
  expect(statusOf(catalog, 'org/big')).toEqual({ kind: 'ready' })
  expect(catalog.resolve('org/big')?.entry.filePaths).toEqual({ model: path })
  rmSync(path)
  expect(statusOf(catalog, 'org/big')).toEqual({ kind: 'available' })
})

test('files lie under their names, an archive as a folder; of files that share a role the first counts', () => {
  const archive = `{ role = "voices", name = "data", url = "https://h/v.tar.bz2", unpack = true }`
  const parts = [1, 2].map((part) => `{ role = "model", name = "onnx/${part}.onnx", url = "hf://o/r/${part}.onnx" }`)
  manifest('own', 'id = "me/own"', `files = [${[archive, ...parts].join(', ')}]`)
  const catalog = open()
  const first = put('models/me/own/onnx/1.onnx', 'first')
  put('models/me/own/onnx/2.onnx', 'second')
  expect(statusOf(catalog, 'me/own')).toEqual({ kind: 'available' })
  put('models/me/own/data/tokens.txt', 'tokens')
  expect(statusOf(catalog, 'me/own')).toEqual({ kind: 'ready' })
  const voices = join(dataDir, 'models/me/own/data')
  expect(catalog.resolve('me/own')?.entry.filePaths).toEqual({ voices, model: first })
  rmSync(voices, { recursive: true })
  put('models/me/own/data', 'the archive itself')
  expect(statusOf(catalog, 'me/own')).toEqual({ kind: 'broken', reason: 'data is not a folder' })
})

test('a model is downloading while a pull of it runs', () => {
  const catalog = open()
  const folder = dirname(put('models/org/big/big.gguf.part', 'begun'))
  expect(statusOf(catalog, 'org/big')).toEqual({ kind: 'available' })
  writePullNote(folder, { doneBytes: 5, totalBytes: 10, promisedBytes: 0 })
  expect(statusOf(catalog, 'org/big')).toMatchObject({ kind: 'downloading', doneBytes: 5, totalBytes: 10 })
  put('models/org/big/big.gguf', tinyGguf())
  expect(statusOf(catalog, 'org/big')).toEqual({ kind: 'ready' })
})

test('a damaged file makes its model broken, with the reason, and the others stay', () => {
  const catalog = open()
  put('models/org/big/big.gguf', tinyGguf().slice(0, 5000))
  expect(statusOf(catalog, 'org/big')).toMatchObject({
    kind: 'broken',
    reason: expect.stringMatching(/^big.gguf is cut short/),
  })
  expect(statusOf(catalog, 'org/small')).toEqual({ kind: 'ready' })
})

test('a model that sees is broken where its projector is no projector, and is not here without it', () => {
  const files = ['model', 'mmproj'].map((role) => `{ role = "${role}", path = "${join(dataDir, role)}.gguf" }`)
  put('models.d/eye.toml', `id = "own/eye"\ntype = "vision"\nengine = "llama"\nfiles = [${files}]\n`)
  put('model.gguf', tinyGguf())
  expect(statusOf(open(), 'own/eye')).toEqual({ kind: 'available' })
  for (const [content, reason] of [
    [tinyGguf(), 'mmproj.gguf is no projector (architecture "qwen2")'],
    ['GGUF', expect.stringContaining('mmproj.gguf is cut short')],
  ] as const) {
    put('mmproj.gguf', content)
    expect(statusOf(open(), 'own/eye')).toEqual({ kind: 'broken', reason })
  }
  put('mmproj.gguf', readFileSync(join(import.meta.dir, '../../models/starter/starter-chat-mmproj-f16.gguf')))
  expect(statusOf(open(), 'own/eye')).toEqual({ kind: 'ready' })
})

test('a path that leads nowhere makes its model broken, and the others stay', () => {
  put('models/org/big/big.gguf', tinyGguf())
  symlinkSync('loop.gguf', join(dataDir, 'loop.gguf'))
  const paths = [join(dataDir, 'loop.gguf'), join(dataDir, 'models/org/big/big.gguf/inside'), `/${'a'.repeat(300)}`]
  paths.forEach((path, index) => {
    manifest(`own${index}`, `id = "own/model${index}"`, `files = [{ role = "model", path = "${path}" }]`)
  })
  const catalog = open()
  for (const [index, code] of ['ELOOP', 'ENOTDIR', 'ENAMETOOLONG'].entries()) {
    expect(statusOf(catalog, `own/model${index}`)).toMatchObject({
      kind: 'broken',
      reason: expect.stringContaining(code),
    })
  }
  expect(statusOf(catalog, 'org/big')).toEqual({ kind: 'ready' })
})

test('files that the program carries count as there before they are unpacked', () => {
  expect(statusOf(open(), 'org/small')).toEqual({ kind: 'ready' })
  expect(
    statusOf(
      open(() => undefined),
      'org/small',
    ),
  ).toEqual({ kind: 'available' })
  const damaged = put('program/models/starter/small.gguf', 'GGML')
  expect(open().resolve('org/small')?.entry.filePaths).toEqual({ model: damaged })
  expect(statusOf(open(), 'org/small')).toMatchObject({ kind: 'broken' })
})

test('an upstream model is ready without files, with its key file found beside its manifest', () => {
  const lines = [
    'id = "own/remote"',
    'type = "chat"',
    'engine = "upstream"',
    '[upstream]',
    'flavor = "vllm"',
    'model = "m"',
  ]
  put(
    'models.d/remote.toml',
    [...lines, 'endpoints = ["http://10.0.0.5/v1"]', 'key = { file = "vllm.key" }'].join('\n'),
  )
  const entry = open().resolve('own/remote')?.entry
  expect(entry).toMatchObject({ status: { kind: 'ready' }, filePaths: {} })
  expect(entry?.manifest.upstream?.key).toEqual({ file: join(dataDir, 'models.d', 'vllm.key') })
})

test('manifests of the operator join the catalog while it is open, and leave it', () => {
  const catalog = open()
  expect(ids(catalog)).toEqual(['org/small', 'org/big', 'org/voice'])
  const path = manifest('own', 'id = "me/own"', 'aliases = [{ id = "mine" }]')
  expect(ids(catalog)).toEqual(['org/small', 'me/own', 'org/big', 'org/voice'])
  expect(statusOf(catalog, 'mine')).toEqual({ kind: 'ready' })
  rmSync(path)
  expect(ids(catalog)).toEqual(['org/small', 'org/big', 'org/voice'])
})

test('a manifest edited in place counts at once', () => {
  const catalog = open()
  const path = manifest('own', 'id = "me/own"')
  expect(catalog.resolve('mine')).toBeUndefined()
  manifest('own', 'id = "me/own"', 'aliases = [{ id = "mine" }]')
  expect(catalog.resolve('mine')?.entry.manifest.id).toBe('me/own')
  const second = new Date(Date.now() + 5000)
  manifest('own', 'id = "me/own"', 'aliases = [{ id = "mime" }]')
  utimesSync(path, second, second)
  expect(catalog.resolve('mime')?.entry.manifest.id).toBe('me/own')
})

test('a relative path in a manifest starts at the manifest', () => {
  const file = put('elsewhere/own.gguf', tinyGguf())
  put(
    'models.d/own.toml',
    'id = "me/own"\ntype = "chat"\nengine = "llama"\n[[files]]\nrole = "model"\npath = "../elsewhere/own.gguf"\n',
  )
  expect(open().resolve('me/own')?.entry).toMatchObject({ filePaths: { model: file }, status: { kind: 'ready' } })
})

test('an operator takes the place of a shipped model by id and takes aliases away from others', () => {
  manifest('big', 'id = "org/big"')
  expect(ids(open())).toEqual(['org/small', 'org/big', 'org/voice'])
  expect(open().resolve('gpt-4o')).toBeUndefined()
  rmSync(join(dataDir, 'models.d', 'big.toml'))
  manifest('own', 'id = "me/own"', 'aliases = [{ id = "gpt-4o" }]')
  expect(open().resolve('gpt-4o')?.entry.manifest.id).toBe('me/own')
  expect(
    open()
      .resolve('org/big')
      ?.entry.manifest.aliases.map(({ id }) => id),
  ).toEqual(['big-thinking'])
})

test('what makes an id mean two models is left out and reported', () => {
  manifest('a', 'id = "me/a"', 'aliases = [{ id = "mine" }]')
  manifest('b', 'id = "me/b"', 'aliases = [{ id = "mine" }]')
  manifest('c', 'id = "me/a"')
  manifest('d', 'id = "me/d"', 'aliases = [{ id = "org/small" }]')
  manifest('e', 'id = "me/e"', 'aliases = [{ id = "twice" }, { id = "twice" }]')
  const catalog = open()
  expect(ids(catalog)).toEqual(['org/small', 'me/a', 'org/big', 'org/voice'])
  expect(problemsOf(catalog).map((problem) => problem.replaceAll(`${dataDir}/models.d/`, ''))).toEqual([
    'b.toml: "mine" is already used by a.toml',
    'c.toml: "me/a" is already used by a.toml',
    'd.toml: alias "org/small" is the id of another model',
    'e.toml: "twice" is named twice',
  ])
})

test('a shipped model stays when the manifest that would take its place is left out', () => {
  manifest('a', 'id = "me/a"', 'aliases = [{ id = "mine" }]')
  manifest('big', 'id = "org/big"', 'aliases = [{ id = "mine" }]')
  const catalog = open()
  expect(ids(catalog)).toEqual(['org/small', 'me/a', 'org/big', 'org/voice'])
  expect(catalog.resolve('gpt-4o')?.entry.manifest.engine).toBe('llama')
  expect(problemsOf(catalog)).toEqual([expect.stringContaining('big.toml: "mine" is already used by')])
})

test('the id of a shipped model is nobody’s alias, also where an operator takes its place', () => {
  manifest('a', 'id = "me/a"', 'aliases = [{ id = "org/big" }]')
  manifest('big', 'id = "org/big"')
  const catalog = open()
  expect(ids(catalog)).toEqual(['org/small', 'org/big', 'org/voice'])
  expect(problemsOf(catalog)).toEqual([expect.stringContaining('a.toml: alias "org/big" is the id of another model')])
})

function priced(...prices: [string, PriceOverride][]): Catalog {
  return new Catalog({
    shipped,
    shippedAtMs: 1000,
    dataDir,
    shippedFile: () => undefined,
    overrides: { prices: new Map(prices) },
  })
}

function pricesOf(catalog: Catalog, id: string): unknown {
  return JSON.parse(JSON.stringify(catalog.resolve(id)?.entry.manifest.pricing ?? null))
}

const chatPrices = '[pricing]\ninput = 0.2\ncached_input = 0.1\noutput = 0.4\nunit = "1M_tokens"\n'

test('prices of the operator take the place of the manifest’s one by one, the unit stays', () => {
  manifest('own', 'id = "me/own"', 'aliases = [{ id = "mine" }]', chatPrices)
  const catalog = priced(['me/own', { outputNanoUsd: 7 }])
  const prices = { inputNanoUsd: 200_000_000, cachedInputNanoUsd: 100_000_000, outputNanoUsd: 7, unit: '1M_tokens' }
  expect(pricesOf(catalog, 'me/own')).toEqual(prices)
  expect(pricesOf(catalog, 'mine')).toEqual(prices)
  expect(catalog.entries().find((entry) => entry.manifest.id === 'me/own')?.manifest.pricing).toMatchObject(prices)
  expect(catalog.overrideProblems()).toEqual([])
})

test('a model without prices gets them in the unit of its type', () => {
  const catalog = priced(['org/big', { inputNanoUsd: 5, outputNanoUsd: 7 }], ['org/voice', { priceNanoUsd: 9 }])
  expect(catalog.overrideProblems()).toEqual([])
  expect(pricesOf(catalog, 'org/big')).toEqual({ inputNanoUsd: 5, outputNanoUsd: 7, unit: '1M_tokens' })
  expect(pricesOf(catalog, 'org/voice')).toEqual({ priceNanoUsd: 9, unit: '1M_characters' })
  expect(pricesOf(catalog, 'org/small')).toBeNull()
})

test('prices that fit no model are named, and change nothing', () => {
  manifest('own', 'id = "me/own"', chatPrices)
  const catalog = priced(
    ['org/bigg', { inputNanoUsd: 1 }],
    ['gpt-4o', { inputNanoUsd: 1 }],
    ['org/voice', { inputNanoUsd: 1 }],
    ['me/own', { inputNanoUsd: 1 }],
  )
  expect(catalog.overrideProblems()).toEqual([
    '[prices."org/bigg"]: there is no such model (did you mean "org/big"?)',
    '[prices."gpt-4o"]: this is an alias; set the prices of "org/big"',
    '[prices."org/voice"]: a tts model has one price, and no input or output',
    '[prices."me/own"]: cached_input (0.1) must not be above input (0.000000001)',
  ])
  expect(pricesOf(catalog, 'org/voice')).toBeNull()
  expect(pricesOf(catalog, 'me/own')).toMatchObject({ inputNanoUsd: 200_000_000 })
})

test('settings of the operator take the place of the manifest’s one by one', () => {
  const settings = new Map([
    ['org/big', { llama: { threads: 2 } }],
    ['me/own', { fake: { parallel: 3 } }],
    ['gpt-4o', { llama: { threads: 4 } }],
    ['org/small', { onnx: { threads: 5 } }],
  ])
  manifest('own', 'id = "me/own"', '[fake]\nparallel = 1\ncontext_tokens = 300\n')
  const catalog = new Catalog({
    shipped,
    shippedAtMs: 1000,
    dataDir,
    shippedFile: () => undefined,
    overrides: { settings },
  })
  const settingsFor = (id: string) => catalog.resolve(id)?.entry.manifest.settings
  expect(settingsFor('org/big')).toEqual({ threads: 2 })
  expect(settingsFor('me/own')).toEqual({ parallel: 3, contextTokens: 300 })
  expect(settingsFor('org/small')).toBeUndefined()
  expect(catalog.overrideProblems()).toEqual([
    '[models."gpt-4o"]: this is an alias; set the settings of "org/big"',
    '[models."org/small"]: "onnx" has settings of another engine than the model\'s (did you mean "llama"?)',
  ])
})

test('a manifest that cannot be read is reported and the others stay', () => {
  put('models.d/broken.toml', 'id = ')
  manifest('own', 'id = "me/own"', 'colour = "red"')
  const catalog = open()
  expect(ids(catalog).length).toBe(3)
  expect(problemsOf(catalog)[0]).toContain('broken.toml: ')
  expect(problemsOf(catalog)[1]).toContain('own.toml: unknown field "colour"')
})

test('it says which names a new model could not have', () => {
  manifest('own', 'id = "me/own"', 'aliases = [{ id = "mine" }]')
  const catalog = open()
  expect(catalog.isTaken('mine', 'me/new')).toBe(true)
  expect(catalog.isTaken('mine', 'me/own')).toBe(false)
  expect(catalog.isTaken('org/small', 'me/new')).toBe(true)
  expect(catalog.isTaken('gpt-4o', 'me/new')).toBe(false)
  expect(catalog.isTaken('free', 'me/new')).toBe(false)
})

test('whether a model fills gaps is known as long as its file is here', () => {
  const fillsGaps = () => open().resolve('org/big')?.entry.fillsGaps
  expect(fillsGaps()).toBeUndefined()
  put('models/org/big/big.gguf', tinyGguf())
  expect(fillsGaps()).toBe(false)
  put('models/org/big/big.gguf', tinyGguf({ moreControlTokens: ['<PRE>', '<SUF>'] }))
  expect(fillsGaps()).toBe(true)
})

test('the context that a file states is known as long as it is here', () => {
  const stated = () => open().resolve('org/big')?.entry.statedContext
  expect(stated()).toBeUndefined()
  put('models/org/big/big.gguf', tinyGguf())
  expect(stated()).toBe(4096)
})
