import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type BundleBox, bundleBox } from '../../testing/bundle-box.ts'
import {
  BundleError,
  type BundleManifest,
  canonicalJson,
  formatBundleManifest,
  parseBundleManifest,
} from './manifest.ts'

let box: BundleBox
let text = ''
beforeAll(async () => {
  box = bundleBox()
  await box.addModel('org/one')
  await box.addModel('org/two')
  const { folders } = await box.bundle(['org/one', 'org/two'], 'stick')
  text = readFileSync(join(folders[0] ?? '', 'manifest.json'), 'utf8')
})
afterAll(() => box[Symbol.dispose]())

// biome-ignore lint/suspicious/noExplicitAny: tests break the manifest in ways that no type allows
type Loose = any

const sum = 'a'.repeat(64)
const huge = Number.MAX_SAFE_INTEGER
const alias = (id: string) => (model: Loose) => {
  model.manifest = `aliases = [{ id = "${id}" }]\n${model.manifest}`
}
const upstreamManifest = `id = "org/one"
type = "chat"
engine = "upstream"
upstream = { flavor = "openai", model = "m", endpoints = ["https://collects.example/v1"] }
`
const gpuManifest = `id = "org/one"
type = "stt"
engine = "speech"
transcriber = { kind = "zipformer-ctc" }
files = [
  { role = "model", path = "../models/org/one/org-one.gguf" },
  { role = "tokens", path = "../models/org/one/tokens.txt" },
]
gpu_files = [{ role = "model", path = "/etc/passwd" }]
`
const changes: readonly (readonly [name: string, change: (manifest: Loose) => unknown, reason: string])[] = [
  ['another format', (m) => (m.format = 2), '"format"'],
  ['a field too many', (m) => (m.extra = 1), '"extra"'],
  ['a model outside', (m) => (m.models[0].id = '../../etc/x'), 'the lock of "../../etc/x" is damaged'],
  ['a name with a control character', (m) => (m.models[0].files[0].name = 'a\u001b[2J'), '"models.0.files.0.name"'],
  ...['../x', '/etc/passwd', 'a/../../x', 'lock.json', 'x.part', '.x', 'a\\b', 'a//b', 'x'.repeat(300)].map(
    (name) =>
      [`the file name ${name}`, (m: Loose) => (m.models[0].files[0].name = name), 'is damaged: the name'] as const,
  ),
  [
    'a path elsewhere',
    (m) => (m.models[0].manifest = m.models[0].manifest.replace(/path = .*/, 'path = "/etc/passwd"')),
    'has a file at "/etc/passwd"',
  ],
  [
    'a path beside',
    (m) => (m.models[0].manifest = m.models[0].manifest.replace('../models/org/one', '../models/org/two')),
    'has a file at',
  ],
  ['a path elsewhere of a file for a GPU', (m) => (m.models[0].manifest = gpuManifest), 'has a file at "/etc/passwd"'],
  ['a manifest of another model', (m) => (m.models[0].manifest = m.models[1].manifest), 'is that of org/two'],
  [
    'a licence with a control character',
    (m) => (m.models[0].manifest = `license = "\\u001b[2J"\n${m.models[0].manifest}`),
    'the lock of "org/one" is damaged: "license"',
  ],
  [
    'a file below another file',
    (m) => m.models[0].files.push({ ...m.models[0].files[0], name: `${m.models[0].files[0].name.toUpperCase()}/x` }),
    'lies below another file',
  ],
  ['an alias of two models', (m) => m.models.forEach(alias('same')), 'the name of a model "same" comes twice'],
  ['the id of a model as an alias', (m) => [m.models[0]].forEach(alias('org/two')), '"org/two" comes twice'],
  ['a manifest that is none', (m) => (m.models[0].manifest = 'id = '), 'is not TOML'],
  ['a manifest with an unknown field', (m) => (m.models[0].manifest += 'x = 1\n'), 'the manifest of org/one is wrong'],
  [
    'a manifest that names servers',
    (m) => (m.models[0].manifest = upstreamManifest),
    'only a manifest that you write into the folder models.d of the data folder can name them',
  ],
  ['the same model twice', (m) => (m.models[1].id = 'ORG/one'), 'the model "org/one" comes twice'],
  ['a model without files', (m) => (m.models[0].files = []), '"models.0.files"'],
  ['a file of another size', (m) => m.models[0].files[0].bytes++, 'bytes, not'],
  ['a file that nothing holds', (m) => (m.models[0].files[0].sha256 = sum), `nothing in it has the sum ${sum}`],
  ['a sum in capitals', (m) => (m.blobs[0].sha256 = sum.toUpperCase()), '"blobs.0.sha256"'],
  ['a sum that is a path', (m) => (m.blobs[0].sha256 = `../${sum.slice(3)}`), '"blobs.0.sha256"'],
  ['the same content twice', (m) => m.blobs.push(m.blobs[0]), 'comes twice'],
  [
    'a content in the base as well',
    (m) => m.base.push({ sha256: m.blobs[0].sha256, bytes: m.blobs[0].bytes }),
    'comes twice',
  ],
  [
    'a content that nothing uses',
    (m) => m.blobs.push({ sha256: sum, bytes: 1, parts: [{ sha256: sum, bytes: 1 }] }),
    'nothing in it uses',
  ],
  ['parts that are too few', (m) => m.blobs[0].parts.pop(), 'have'],
  ['no parts', (m) => (m.blobs[0].parts = []), '"blobs.0.parts"'],
  ['parts beyond count', (m) => (m.blobs[0].parts = Array(1001).fill({ sha256: sum, bytes: 0 })), '"blobs.0.parts"'],
  ['an empty part', (m) => m.blobs[0].parts.push({ sha256: sum, bytes: 0 }), 'is empty'],
  ['a part that FAT32 cannot hold', (m) => (m.blobs[0].parts[0].bytes = 2 ** 32), '"blobs.0.parts.0.bytes"'],
  ['a negative size', (m) => (m.blobs[0].bytes = -1), '"blobs.0.bytes"'],
  ['a size that is no number', (m) => (m.blobs[0].bytes = '1'), '"blobs.0.bytes"'],
  [
    'sizes that overflow',
    (m) => m.base.push({ sha256: sum, bytes: huge }, { sha256: `b${sum.slice(1)}`, bytes: huge }),
    'too large to be added up',
  ],
  ['a licence that is not there', (m) => (m.models[0].license = 'mit'), 'has the licence "mit", which is not there'],
  ['a licence outside', (m) => m.licenses.push({ name: '../x', id: 'x', bytes: 1, sha256: sum }), '"licenses.0.name"'],
  [
    'a licence that is a device',
    (m) => m.licenses.push({ name: 'nul.x', id: 'x', bytes: 1, sha256: sum }),
    'the name of a device',
  ],
  [
    'an executable that is not there',
    (m) => (m.executable = { sha256: sum, bytes: 1 }),
    `nothing in it has the sum ${sum}`,
  ],
]

test.each(changes.map(([name, change, reason]) => ({ name, change, reason })))(
  '$name is refused',
  ({ change, reason }) => {
    const manifest: Loose = JSON.parse(text)
    change(manifest)
    const changed = `${canonicalJson(manifest)}\n`
    expect(() => parseBundleManifest(changed)).toThrow(BundleError)
    expect(() => parseBundleManifest(changed)).toThrow(reason)
  },
)

test.each([
  ['', 'not JSON'],
  ['null', '""'],
  ['['.repeat(1_000_000), 'not JSON'],
  ['{"format":1e400}', '"bundle"'],
  ['{"__proto__":{}}', '"format"'],
])('a text such as %j is refused', (changed, reason) => {
  expect(() => parseBundleManifest(changed)).toThrow(reason)
})

test('a manifest has one form only', () => {
  for (const changed of [text.trim(), ` ${text}`, text.replace(',', ', '), text.replace('{', '{"format":1,')]) {
    expect(() => parseBundleManifest(changed)).toThrow('it is not in canonical form')
  }
  expect(formatBundleManifest(parseBundleManifest(text))).toBe(text)
})

test('random changes of a manifest are refused or harmless, and never throw anything else', () => {
  const paths = leavesOf(JSON.parse(text))
  const value = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.constantFrom(null, [], {}, true, '../x', huge))
  fc.assert(
    fc.property(fc.constantFrom(...paths), value, (path, replacement) => {
      const manifest: Loose = JSON.parse(text)
      const last = path.at(-1) ?? ''
      path.slice(0, -1).reduce((at, key) => at[key], manifest)[last] = replacement
      try {
        const read: BundleManifest = parseBundleManifest(`${JSON.stringify(manifest)}\n`)
        expect(read.models.map(({ id }) => id)).toEqual(['org/one', 'org/two'])
      } catch (error) {
        if (!(error instanceof BundleError)) throw error
      }
    }),
    { numRuns: 500 },
  )
})

function leavesOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]]
  return Object.entries(value).flatMap(([key, part]) => leavesOf(part).map((rest) => [key, ...rest]))
}
