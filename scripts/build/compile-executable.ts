import { renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'
import type { EmbeddedFiles } from '../../src/engines/runtime/embedded-files.ts'

export interface Program {
  readonly main: string
  /** Programs of the executable's threads, named by their paths below its folder. */
  readonly threads: readonly string[]
  /** Folders beside the program, each under its last name. */
  readonly assets: readonly string[]
}

/** Compiles the program into one executable. The plugin replaces modules, such as by a list of packed files. */
export async function compileExecutable(
  { main, threads, assets }: Program,
  plugin: BunPlugin,
  output: string,
): Promise<void> {
  const temporary = `${output}.${process.pid}.tmp`
  await Bun.build({
    entrypoints: [main, ...threads],
    // Folder from which threads are named. With more than eight entries the bundler would choose another.
    root: dirname(main),
    minify: { whitespace: true, syntax: true },
    sourcemap: 'inline',
    // Compiled ahead, which takes two thirds off the time to listening.
    bytecode: true,
    format: 'esm',
    // Ignores settings in the folder in which the server is started.
    compile: {
      outfile: temporary,
      assets: [...assets],
      autoloadPackageJson: false,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
    },
    plugins: [plugin],
  })
  // Removes the source maps, which the executable contains too.
  const maps = threads.map((thread) => join(dirname(output), `${basename(thread, '.ts')}.js.map`))
  for (const map of [`${temporary}.map`, ...maps]) rmSync(map, { force: true })
  renameSync(temporary, output)
}

/** Replaces `src/engines/runtime/embedded-files.ts` by the real list. */
export function embed({ contentHash, files }: EmbeddedFiles): BunPlugin {
  const sources = [...new Set(files.map(({ source }) => source))]
  const rows = files.map(
    ({ source, ...file }) => `{ source: source${sources.indexOf(source)}, ...${JSON.stringify(file)} }`,
  )
  const contents = [
    ...sources.map((source, index) => `import source${index} from ${JSON.stringify(source)} with { type: 'file' }`),
    `const embedded = { contentHash: ${JSON.stringify(contentHash)}, files: [${rows.join(',\n')}] }`,
    'export const embeddedFiles = () => embedded',
  ].join('\n')
  return {
    name: 'embed',
    setup(build) {
      build.onLoad({ filter: /\/src\/engines\/runtime\/embedded-files\.ts$/ }, () => ({ contents, loader: 'js' }))
    },
  }
}
