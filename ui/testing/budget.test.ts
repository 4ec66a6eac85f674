/** Sizes of the built pages: of a first visit, and of later loads. */
import { beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildUi } from '../../scripts/build/build-ui.ts'
import { maximumScriptBytes, maximumStyleBytes } from './budget.ts'

const kilobyte = 1_000

interface Chunk {
  readonly text: string
  readonly compressedBytes: number
  /** Chunks that are loaded together with this one */
  readonly loads: readonly string[]
  /** Chunks that this one loads on demand */
  readonly lazy: readonly string[]
}

const files = new Map<string, Chunk>()
let folder = ''

beforeAll(async () => {
  folder = await buildUi()
  const transpiler = new Bun.Transpiler({ loader: 'js' })
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.js'))) {
    const text = readFileSync(join(folder, name), 'utf8')
    const imports = transpiler.scanImports(text)
    const ofKind = (kind: string) =>
      imports.filter((found) => found.kind === kind).map(({ path }) => path.split('/').at(-1) ?? '')
    files.set(name, {
      ...{ text, compressedBytes: Bun.gzipSync(text, { level: 9 }).length },
      ...{ loads: ofKind('import-statement'), lazy: ofKind('dynamic-import') },
    })
  }
})

/** Returns the chunks and all that are loaded together with them. */
function closure(names: readonly string[], seen = new Set<string>()): Set<string> {
  for (const name of names) {
    if (seen.has(name)) continue
    seen.add(name)
    closure(files.get(name)?.loads ?? [], seen)
  }
  return seen
}

const bytesOf = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + (files.get(name)?.compressedBytes ?? 0), 0)

/** Returns the chunks that a document loads at once. */
function entryOf(document: string): Set<string> {
  const html = readFileSync(join(folder, document), 'utf8')
  return closure([...html.matchAll(/\/ui\/([\w-]+\.js)/g)].map(([, name = '']) => name))
}

test.each(['dashboard.html', 'admin.html'])('the first load of any page of %s stays within its limit', (document) => {
  const entry = entryOf(document)
  const pages = [...entry].flatMap((name) => files.get(name)?.lazy ?? [])
  expect(pages.length).toBeGreaterThan(3)
  const sizes = pages.map((page) => bytesOf(closure([page], new Set(entry))))
  expect(Math.max(...sizes)).toBeLessThan(maximumScriptBytes)
})

test('the stylesheet stays within its limit', () => {
  const styles = readdirSync(folder).filter((file) => file.endsWith('.css'))
  const sizes = styles.map((file) => Bun.gzipSync(readFileSync(join(folder, file)), { level: 9 }).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(maximumStyleBytes)
})

test.each([
  ['charts', /uplot|u-legend/, 26],
  ['markdown', /blockquoteSetextReplace/, 18],
  ['highlighting', /hljs-/, 30],
] as const)('the chunk of %s is loaded where it is used alone, and stays within its limit', (_, mark, limit) => {
  const entry = new Set([...entryOf('dashboard.html'), ...entryOf('admin.html')])
  const chunks = [...files].filter(([, { text }]) => mark.test(text)).map(([name]) => name)
  for (const name of chunks) {
    expect(entry.has(name)).toBe(false)
    expect(files.get(name)?.compressedBytes).toBeLessThan(limit * kilobyte)
  }
})

test('all files together stay within 790 kB', () => {
  const bytes = readdirSync(folder).map((file) => readFileSync(join(folder, file)).length)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(790 * kilobyte)
})
