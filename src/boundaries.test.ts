/**
 * The table of imports between folders, enforced: imports point one way, type-only imports included. The README.md of a folder says
 * the same.
 */
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'

/** Folder -> folders it may import from (its own always). Longest match wins. */
const allowed: Record<string, readonly string[]> = {
  core: [],
  wire: ['core'],
  db: ['core'],
  telemetry: ['core', 'machine', 'engines', 'engines/protocol'],
  machine: ['core'],
  nvidia: ['core'],
  'nvidia/fetch': ['core', 'nvidia', 'store'],
  memory: ['core', 'db', 'machine'],
  catalog: ['core', 'models', 'engines', 'engines/shared', 'engines/upstream'],
  store: ['core', 'catalog'],
  library: [
    'core',
    'catalog',
    'config',
    'engines',
    'engines/host',
    'engines/protocol',
    'engines/shared',
    'machine',
    'scheduler',
    'store',
  ],
  tls: ['core'],
  upkeep: [
    'core',
    'accounts',
    'audio',
    'billing',
    'catalog',
    'config',
    'db',
    'engines',
    'engines/backends',
    'engines/protocol',
    'machine',
    'mail',
    'nvidia',
    'search',
    'store',
    'tls',
  ],
  scheduler: ['core'],
  // The library that decodes is named by its place.
  audio: ['core', 'images', 'spool', 'node_modules'],
  // The same.
  images: ['core', 'spool', 'node_modules'],
  documents: ['core', 'images', 'spool', 'node_modules'],
  search: ['core', 'images'],
  mail: ['core', 'db'],
  shipping: ['core', 'db', 'telemetry'],
  billing: ['core', 'db'],
  accounts: ['core', 'db', 'billing', 'mail'],
  operations: [
    'core',
    'db',
    'billing',
    'accounts',
    'mail',
    'shipping',
    'engines',
    'engines/backends',
    'engines/protocol',
    'inference',
    'memory',
    'config',
    'telemetry',
    'library',
    'upkeep',
  ],
  // The second test says which file may load the children's engines.
  engines: [
    'core',
    'machine',
    'nvidia',
    'scheduler',
    'engines/llama',
    'engines/onnx',
    'engines/speech',
    'engines/diarization',
    'engines/fake',
    'engines/upstream',
    'engines/backends',
    'engines/host',
    'engines/protocol',
    'engines/shared',
  ],
  'engines/backends': ['core', 'machine', 'nvidia', 'engines/host', 'engines/protocol'],
  'engines/host': ['core', 'machine', 'scheduler', 'engines', 'engines/backends', 'engines/protocol', 'engines/shared'],
  'engines/protocol': ['core'],
  'engines/shared': ['core', 'engines/protocol'],
  'engines/llama': ['core', 'machine', 'engines/backends', 'engines/protocol', 'engines/shared'],
  'engines/onnx': [
    'core',
    'machine',
    'engines/backends',
    'engines/protocol',
    'engines/shared',
    'engines/onnx/session',
    'engines/onnx/text',
  ],
  'engines/onnx/session': ['core', 'machine', 'engines/backends', 'engines/protocol', 'engines/shared'],
  'engines/onnx/text': ['core', 'engines/protocol', 'engines/shared', 'engines/onnx/session'],
  'engines/diarization': ['core', 'machine', 'engines/protocol', 'engines/shared', 'engines/onnx/session'],
  'engines/speech': [
    'core',
    'machine',
    'engines/protocol',
    'engines/shared',
    'engines/onnx/session',
    'engines/speech/transcribe',
    'engines/speech/speak',
  ],
  'engines/speech/transcribe': ['core', 'machine', 'engines/protocol', 'engines/shared', 'engines/speech'],
  'engines/speech/speak': ['core', 'machine', 'engines/protocol', 'engines/shared', 'engines/speech', 'node_modules'],
  'engines/fake': ['core', 'engines/protocol', 'engines/shared'],
  'engines/upstream': ['core', 'engines/protocol', 'engines/shared'],
  inference: ['core', 'catalog', 'engines', 'engines/protocol', 'engines/upstream', 'billing', 'telemetry'],
  http: [
    'core',
    'wire',
    'audio',
    'images',
    'documents',
    'catalog',
    'accounts',
    'billing',
    'mail',
    'engines',
    'engines/protocol',
    'inference',
    'telemetry',
    'operations',
    'spool',
    'tls',
  ],
  cli: [
    'core',
    'nvidia',
    'nvidia/fetch',
    'engines/upstream',
    'wire',
    'config',
    'db',
    'accounts',
    'audio',
    'catalog',
    'store',
    'machine',
    'engines',
    'engines/backends',
    'engines/host',
    'engines/protocol',
    'inference',
    'library',
    'upkeep',
    'telemetry',
    'operations',
    'server',
    'tls',
  ],
  config: ['core', 'engines', 'nvidia', 'package.json'],
  spool: ['core'],
  server: [
    'core',
    'nvidia',
    'db',
    'telemetry',
    'catalog',
    'accounts',
    'billing',
    'mail',
    'shipping',
    'engines',
    'engines/backends',
    'engines/host',
    'engines/protocol',
    'inference',
    'http',
    'engines/upstream',
    'store',
    'scheduler',
    'audio',
    'images',
    'documents',
    'search',
    'library',
    'machine',
    'memory',
    'config',
    'operations',
    'spool',
    'tls',
    'upkeep',
  ],
  main: ['cli', 'documents', 'engines/host', 'machine'],
}

/** Folder -> what it may know of the folders above by type alone. */
const typesOnly: Record<string, readonly string[]> = {
  inference: ['engines/upstream'],
  operations: ['engines', 'inference', 'config', 'telemetry', 'library', 'upkeep'],
}

/** Modules that only one folder may import. */
const reserved: Record<string, readonly string[]> = {
  elysia: ['http'],
  'bun:sqlite': ['db', 'accounts', 'billing', 'mail', 'memory', 'operations'],
  commander: ['cli'],
}

const root = import.meta.dir

function folderOf(path: string): string {
  const parts = path.split('/')
  if (path.startsWith('../')) return parts[1] ?? ''
  if (parts.length === 1) return parts[0]?.replace(/\.ts$/, '') ?? ''
  const folders = [3, 2].map((depth) => parts.slice(0, depth).join('/'))
  return folders.find((folder) => folder in allowed) ?? parts[0] ?? ''
}

interface Source {
  readonly path: string
  readonly text: string
  /** Modules that a running program loads, dynamic imports included. */
  readonly loaded: readonly string[]
  /** The same and the type-only imports. */
  readonly imports: readonly string[]
}

function sources(): Source[] {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  return [...new Glob('**/*.ts').scanSync(root)]
    .filter((path) => !path.includes('.test.') && !path.startsWith('testing/'))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const loaded = transpiler.scanImports(text).map((found) => found.path)
      const written = [...text.matchAll(/^(?:import|export) [\w\s{},*]* from '([^']+)'/gm)].map(
        ([, found]) => found ?? '',
      )
      return { path, text, loaded, imports: [...new Set([...loaded, ...written])] }
    })
}

test('every import follows the table', () => {
  const violations: string[] = []
  for (const { path, loaded, imports } of sources()) {
    const from = folderOf(path)
    if (allowed[from] === undefined) violations.push(`${path} stands in no line of the table`)
    for (const specifier of imports) {
      const reservedFor = reserved[specifier]
      if (reservedFor !== undefined && !reservedFor.includes(from)) violations.push(`${path} -> ${specifier}`)
      if (!specifier.startsWith('.')) continue
      const to = folderOf(relative(root, join(root, dirname(path), specifier)))
      if (to !== from && !allowed[from]?.includes(to)) violations.push(`${path} -> ${to}`)
      if (typesOnly[from]?.includes(to) && loaded.includes(specifier))
        violations.push(`${path} -> ${to}, not its types`)
    }
  }
  expect(violations).toEqual([])
})

test('engines are loaded by their table alone, dynamically; all else knows at most their settings and placements', () => {
  const engine = /^engines\/(llama|onnx|speech|diarization|fake)\//
  const unknown = new RegExp(`${engine.source}(?!(settings|placements)\\.ts)`)
  const loaders = sources()
    .filter(({ path }) => !engine.test(path))
    .filter(({ path, imports }) => imports.some((specifier) => unknown.test(join(dirname(path), specifier))))
  expect(loaders.map(({ path }) => path)).toEqual(['engines/engine-table.ts'])
  expect(loaders[0]?.text).not.toMatch(
    /^import .*\.\/(llama|onnx|speech|diarization|fake)\/(?!(settings|placements)\.ts)/m,
  )
})

test('the environment is read in config/sources.ts alone', () => {
  expect(filesWith(/process\.env\b|Bun\.env\b/)).toEqual(['config/sources.ts'])
})

test('processes are started in engines/, machine/ and for ffmpeg and bzip2, and threads where work would block', () => {
  expect(filesWith(/Bun\.(spawn|spawnSync|\$)|node:child_process|new Worker\b/)).toEqual([
    'audio/ffmpeg/decode-by-ffmpeg.ts',
    'core/worker-thread.ts',
    'documents/read-document.ts',
    'engines/host/spawn-engine.ts',
    'machine/nvidia-smi.ts',
    'store/archive/bunzip2.ts',
  ])
})

test('nothing imports scripts/, which may import everything', () => {
  const all = [...new Glob('**/*.ts').scanSync(root)].sort()
  const importing = all.filter((path) => /from '[./]+\/scripts\//.test(readFileSync(join(root, path), 'utf8')))
  expect(importing).toEqual([])
})

test('each folder has a README.md that says what the folder may import', () => {
  const folders = readdirSync(root, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []))
  const described = readmes().map((path) => dirname(path).replace('src/', ''))
  expect(folders.filter((folder) => !described.includes(folder))).toEqual([])
  // A sentence or nothing follows: `package.json.` is the beginning of other names.
  const isSaid = (folder: string) =>
    readmeOf(folder)
      .split(importsOf(folder))
      .slice(1)
      .some((rest) => /^( [A-Z#`]|$)/.test(rest))
  const wrong = described.filter((folder) => allowed[folder] !== undefined && !isSaid(folder))
  expect(wrong.map((folder) => `src/${folder}/README.md: ${importsOf(folder)}`)).toEqual([])
})

test('files that these texts name exist', () => {
  const missing = [...readmes(), 'CONTRIBUTING.md', 'docs/architecture.md'].flatMap((file) => {
    const bases = [dirname(file), 'src', '.'].map((folder) => join(root, '..', folder))
    return filesNamedIn(readFileSync(join(root, '..', file), 'utf8'))
      .filter((name) => !bases.some((base) => existsSync(join(base, name))))
      .map((name) => `${file}: ${name}`)
  })
  expect(missing).toEqual([])
})

function readmes(): string[] {
  return [...new Glob('{src,ui,native}/**/README.md').scanSync(join(root, '..'))].sort()
}

function readmeOf(folder: string): string {
  return readFileSync(join(root, folder, 'README.md'), 'utf8').replaceAll(/\s+/g, ' ')
}

function importsOf(folder: string): string {
  const named = (allowed[folder] ?? []).map((each) => (typesOnly[folder]?.includes(each) ? `${each} (types)` : each))
  return `May import: ${named.join(', ') || 'nothing'}.`
}

/** Targets of links in this repository, and paths in code spans. */
function filesNamedIn(text: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
  const spans = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\.(?:ts|tsx|cpp|h|md|sql)|\/))`/g)]
  return [...links, ...spans].map(([, name = '']) => name)
}

/** Files of engine children, where stderr is the log and the exit the last word. */
const childFiles = [
  'engines/diarization/engine.ts',
  'engines/fake/script.ts',
  'engines/host/child.ts',
  'engines/llama/engine.ts',
  'engines/llama/open-runtime.ts',
  'engines/onnx/engine.ts',
  'engines/speech/operator-log.ts',
]

test('only the command line and engine children print and exit', () => {
  const files = filesWith(/console\.|process\.(stdout|stderr)\.write|process\.(exit|abort|exitCode|reallyExit)\b/)
  expect(files.filter((path) => !path.startsWith('cli/'))).toEqual([...childFiles, 'main.ts'])
})

function filesWith(pattern: RegExp): string[] {
  return sources()
    .filter(({ text }) => pattern.test(text))
    .map(({ path }) => path)
    .sort()
}
