/** The import table of CONTRIBUTING.md, enforced: imports point one way, type-only imports included. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'

/** Folder -> folders it may import from (its own always). Longest match wins. */
const allowed: Record<string, readonly string[]> = {
  core: [],
  wire: ['core'],
  db: ['core'],
  telemetry: ['core'],
  catalog: ['core', 'models'],
  accounts: ['core', 'db'],
  // Which file may load the children's engines is the second test's matter.
  engines: ['core', 'engines/llama', 'engines/fake'],
  'engines/llama': ['core', 'engines'],
  'engines/fake': ['core', 'engines'],
  inference: ['core', 'catalog', 'engines', 'telemetry'],
  http: ['core', 'wire', 'catalog', 'accounts', 'engines', 'inference', 'telemetry'],
  cli: ['core', 'app', 'config', 'db', 'accounts', 'catalog', 'engines', 'telemetry', 'control'],
}

/** Modules that only one folder may import. */
const reserved: Record<string, readonly string[]> = {
  elysia: ['http'],
  'bun:sqlite': ['db', 'accounts', 'billing'],
  commander: ['cli'],
}

const root = import.meta.dir

function folderOf(path: string): string {
  const parts = path.split('/')
  if (path.startsWith('../models')) return 'models'
  if (parts.length === 1) return parts[0]?.replace(/\.ts$/, '') ?? ''
  const two = parts.slice(0, 2).join('/')
  return two in allowed ? two : (parts[0] ?? '')
}

function sources(): { path: string; imports: string[] }[] {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  return [...new Glob('**/*.ts').scanSync(root)]
    .filter((path) => !path.includes('.test.') && !path.startsWith('testing/'))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const typeImports = [...text.matchAll(/^(?:import|export) type .*? from '([^']+)'/gms)].map(
        (match) => match[1] ?? '',
      )
      return { path, imports: [...transpiler.scanImports(text).map((found) => found.path), ...typeImports] }
    })
}

test('every import follows the table', () => {
  const violations: string[] = []
  for (const { path, imports } of sources()) {
    const from = folderOf(path)
    for (const specifier of imports) {
      const reservedFor = reserved[specifier]
      if (reservedFor !== undefined && !reservedFor.includes(from)) violations.push(`${path} -> ${specifier}`)
      if (!specifier.startsWith('.')) continue
      const to = folderOf(relative(root, join(root, dirname(path), specifier)))
      if (to === from || allowed[from] === undefined || allowed[from].includes(to)) continue
      violations.push(`${path} -> ${to}`)
    }
  }
  expect(violations).toEqual([])
})

test('native engines are loaded only by engines/child.ts, dynamically', () => {
  const loaders = sources()
    .filter(({ path }) => !path.startsWith('engines/llama/') && !path.startsWith('engines/fake/'))
    .filter(({ imports }) => imports.some((specifier) => /\/(llama|fake)\//.test(specifier)))
    .map(({ path }) => path)
  expect(loaders).toEqual(['engines/child.ts'])
})

/** Sets a variable for the forks of a library; reads none. */
const environmentWriter = 'engines/llama/load-model.ts'

test('the environment is read in config.ts alone', async () => {
  const readers: string[] = []
  for (const { path } of sources()) {
    const text = await Bun.file(join(root, path)).text()
    if (/process\.env\b|Bun\.env\b/.test(text) && !path.startsWith('config') && path !== environmentWriter) {
      readers.push(path)
    }
  }
  expect(readers).toEqual([])
})
