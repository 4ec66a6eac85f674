/** Checks the documentation: reference pages equal the code's tables, links lead somewhere, and lines fit. */
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { parseManifest } from '../src/catalog/parse-manifest.ts'
import { settingNames } from '../src/config/settings.ts'
import { tomlKey } from '../src/core/setting.ts'
import { referencePages } from './docs/pages.ts'

const root = join(import.meta.dir, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const files = ['README.md', 'CONTRIBUTING.md', ...new Glob('{docs,src,ui,native}/**/*.md').scanSync(root)]

test.each(Object.keys(referencePages))('docs/reference/%s is up to date: bun run docs', (name) => {
  expect(read(`docs/reference/${name}`)).toBe(referencePages[name]?.() ?? '')
})

test('docs/reference holds no other file', () => {
  const found = [...new Glob('*').scanSync(join(root, 'docs/reference'))]
  expect(found.sort()).toEqual(Object.keys(referencePages).sort())
})

test.each([...new Glob('docs/manifests/*.toml').scanSync(root)])('%s is a manifest', (file) => {
  expect(parseManifest(file, Bun.TOML.parse(read(file)), 'operator').id).toMatch(/^\w+\//)
})

/** Returns the anchor of each heading, as GitHub makes it. */
function anchorsOf(file: string): string[] {
  return [...withoutCode(read(file)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```.*?^```$/gms, '')
}

test.each(files)('links of %s lead to files and headings', (file) => {
  const links = [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  const broken = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : join(dirname(file), path)
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && !anchorsOf(target).includes(anchor)
  })
  expect(broken).toEqual([])
})

test.each(files)('tables of %s begin with a head', (file) => {
  const tables = [...withoutCode(read(file)).matchAll(/^(?:\|.*\n)+/gm)].map(([table]) => table.split('\n'))
  expect(tables.filter(([, second = '']) => !/^\|[ |-]+\|$/.test(second))).toEqual([])
})

test.each(files)('lines of %s have at most 140 characters outside of tables', (file) => {
  const long = read(file)
    .split('\n')
    .filter((line) => line.length > 140 && !line.startsWith('|'))
  expect(long).toEqual([])
})

test('every setting that docs/company.md names exists', () => {
  const code = [...read('docs/company.md').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
  const named = code.flatMap((text) => /^([a-z]+(?:_[a-z]+)+|[a-z]+(?= = ))( = |$)/.exec(text)?.[1] ?? [])
  const known = [...settingNames.map(tomlKey), 'engine']
  expect(named.filter((name) => !known.includes(name))).toEqual([])
  // Guards against a search that finds nothing.
  expect(named.length).toBeGreaterThan(20)
})
