import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { iconSprite } from './icon-sprite.ts'

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
  writeIcons()
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
    plugins: [findIcons],
  })
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

const iconsPath = join(root, 'ui', 'icons.svg')

/** Needed because the bundler lists the folder before the sprite is written. */
export const findIcons: BunPlugin = {
  name: 'find icons',
  setup: (build) => void build.onResolve({ filter: /\/icons\.svg$/ }, () => ({ path: iconsPath })),
}

/** Writes the sprite beside the sources, where the bundler and the development server find it. */
export function writeIcons(): void {
  const sprite = iconSprite(join(root, 'node_modules'))
  if (!existsSync(iconsPath) || readFileSync(iconsPath, 'utf8') !== sprite) writeFileSync(iconsPath, sprite)
}

if (import.meta.main) {
  const folder = await buildUi()
  for (const name of readdirSync(folder).sort()) {
    const bytes = readFileSync(join(folder, name))
    console.log(`${name}\t${bytes.length} B, ${Bun.gzipSync(bytes, { level: 9 }).length} B compressed`)
  }
}
