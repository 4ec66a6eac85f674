import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BunPlugin } from 'bun'
import { iconSprite } from './icon-sprite.ts'
import { webManifest } from './web-manifest.ts'

const root = join(import.meta.dir, '..', '..')

const uiEntries = ['admin.html', 'dashboard.html'].map((name) => join(root, 'ui', name))
/** Programs of the pages, which the documents load. */
export const uiScripts = ['admin.tsx', 'dashboard.tsx'].map((name) => join(root, 'ui', name))

/**
 * Builds the pages into build/ui, from which a checkout's server serves them. Files have their content's hash in their
 * names and never change; documents have nothing inline. Replaces the folder at once, and only if something changed,
 * since tests and servers read it meanwhile. Returns its path.
 */
export async function buildUi(): Promise<string> {
  const output = join(root, 'build', 'ui')
  writeGenerated()
  const temporary = `${output}.${process.pid}.tmp`
  rmSync(temporary, { recursive: true, force: true })
  await Bun.build({
    entrypoints: uiEntries,
    outdir: temporary,
    target: 'browser',
    minify: true,
    splitting: true,
    publicPath: '/ui/',
    define: { 'process.env.NODE_ENV': '"production"' },
    sourcemap: 'none',
    plugins: [findGenerated],
  })
  for (const { name, bytes } of webManifest().icons) writeFileSync(join(temporary, name), bytes)
  const earlier = `${temporary}.earlier`
  if (isSame(temporary, output)) {
    rmSync(temporary, { recursive: true })
    return output
  }
  if (existsSync(output)) renameSync(output, earlier)
  renameSync(temporary, output)
  rmSync(earlier, { recursive: true, force: true })
  return output
}

/** Returns whether two flat folders have the same files. */
function isSame(one: string, other: string): boolean {
  if (!existsSync(other)) return false
  const names = readdirSync(one)
  if (readdirSync(other).length !== names.length) return false
  return names.every(
    (name) => existsSync(join(other, name)) && readFileSync(join(one, name)).equals(readFileSync(join(other, name))),
  )
}

/** Files that are made beside the sources, by name. */
const generated = {
  'icons.svg': () => iconSprite(join(root, 'node_modules')),
  'inferd.webmanifest': () => webManifest().text,
}

const generatedPath = (name: string) => join(root, 'ui', name)

/** Needed because the bundler lists the folder before the files are written. */
export const findGenerated: BunPlugin = {
  name: 'find generated files',
  setup: (build) =>
    void build.onResolve({ filter: /\/(icons\.svg|inferd\.webmanifest)$/ }, ({ path }) => ({
      path: generatedPath(basename(path)),
    })),
}

/** Writes icons and manifest beside the sources, where the bundler and the development server find them. */
export function writeGenerated(): void {
  for (const [name, make] of Object.entries(generated)) {
    const path = generatedPath(name)
    const text = make()
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
  }
}

if (import.meta.main) {
  const folder = await buildUi()
  for (const name of readdirSync(folder).sort()) {
    const bytes = readFileSync(join(folder, name))
    console.log(`${name}\t${bytes.length} B, ${Bun.gzipSync(bytes, { level: 9 }).length} B compressed`)
  }
}
