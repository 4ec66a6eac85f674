import { renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'
import type { EmbeddedFiles } from '../../src/engines/runtime/embedded-files.ts'

export interface Program {
  readonly main: string
  /** Programs of its threads, which it names by their place below its own folder. */
  readonly threads: readonly string[]
  /** Folders that lie beside the program, each under its last name. */
  readonly assets: readonly string[]
}

/** Compiles the program with the packed files into one executable. */
export async function compileExecutable(
  { main, threads, assets }: Program,
  embedded: EmbeddedFiles,
  output: string,
): Promise<void> {
  const temporary = `${output}.${process.pid}.tmp`
  await Bun.build({
    entrypoints: [main, ...threads],
    // Threads are named by their place below it. The bundler chooses another folder where there are more than eight entries.
    root: dirname(main),
    minify: { whitespace: true, syntax: true },
    sourcemap: 'inline',
    // Compiled ahead: a third of the time to listening.
    bytecode: true,
    format: 'esm',
    // No settings are read from the folder in which the server is started.
    compile: {
      outfile: temporary,
      assets: [...assets],
      autoloadPackageJson: false,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
    },
    plugins: [embed(embedded)],
  })
  // They are inside as well.
  const maps = threads.map((thread) => join(dirname(output), `${basename(thread, '.ts')}.js.map`))
  for (const map of [`${temporary}.map`, ...maps]) rmSync(map, { force: true })
  renameSync(temporary, output)
}

/** Puts the real list in the place of `src/engines/runtime/embedded-files.ts`. */
function embed({ contentHash, files }: EmbeddedFiles): BunPlugin {
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
