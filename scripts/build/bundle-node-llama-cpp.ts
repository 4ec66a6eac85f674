import { realpathSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { BunPlugin } from 'bun'

/** Loads a library in another process first, so that a broken GPU driver does not end the engine. */
const probe = 'bindings/utils/testBindingBinary.js'

/**
 * Bundles node-llama-cpp with its dependencies into a few files (over 800 files are opened to import it otherwise, and
 * the import takes half as long again). The packages with the prebuilt libraries stay outside. Not minified: the
 * program's stack traces print the line.
 */
export async function bundleNodeLlamaCpp(nodeModules: string, output: string): Promise<void> {
  const dist = realpathSync(join(nodeModules, 'node-llama-cpp', 'dist'))
  rmSync(output, { recursive: true, force: true })
  await Bun.build({
    entrypoints: [join(dist, 'index.js'), join(dist, probe)],
    root: dist,
    outdir: output,
    target: 'bun',
    splitting: true,
    naming: { chunk: 'chunk-[hash].[ext]' },
    external: ['@node-llama-cpp/*', 'electron'],
    plugins: [keepPlaces(dist)],
  })
}

/** A module finds its package's files relative to itself; bundled, it must still believe to lie where it lay. */
function keepPlaces(dist: string): BunPlugin {
  return {
    name: 'keep-places',
    setup(build) {
      build.onLoad({ filter: /\/node-llama-cpp\/dist\/.*\.js$/ }, async ({ path }) => {
        const place = relative(dist, path)
        const url = `new URL(${JSON.stringify(`./${place}`)}, import.meta.url).href`
        return { loader: 'js', contents: (await Bun.file(path).text()).replaceAll('import.meta.url', url) }
      })
    },
  }
}
