import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { compileExecutable } from './compile-executable.ts'
import { programThreads } from './program-threads.ts'

const root = join(import.meta.dir, '..', '..')

/**
 * Compiles the program for tests and returns its path. Unlike the one that is shipped, it carries no files: it uses
 * those of the checkout in which it lies.
 */
export async function buildTestProgram(): Promise<string> {
  const output = join(root, 'build', 'test-program', 'inferd')
  const main = join(root, 'src', 'main.ts')
  await compileExecutable({ main, threads: programThreads(root), assets: [] }, usesCheckout, output)
  return output
}

/** Expressions in place of `import.meta.dir`, by the end of a module's path. */
const folders = {
  'runtime/runtime-paths.ts': 'process.execPath',
  'pages/ui-files.ts': 'join(process.execPath, "..", "..")',
} as const

/** Makes the modules that look for files of the checkout look from the place of the executable. */
const usesCheckout: BunPlugin = {
  name: 'uses-checkout',
  setup(build) {
    for (const [end, folder] of Object.entries(folders))
      build.onLoad({ filter: new RegExp(`/src/.*/${end}$`) }, async ({ path }) => {
        const source = await Bun.file(path).text()
        return { contents: source.replaceAll('import.meta.dir', folder), loader: 'ts' }
      })
  },
}
