/**
 * Builds the one executable: `bun run build [--cuda [--cuda-library FILE]] [--output FILE]`. `inferd` runs on the CPU and on GPUs
 * through Vulkan; `--cuda` makes `inferd-cuda`, which adds NVIDIA's backend: the given one, else the one that
 * `scripts/build-cuda.ts` built last, else the shipped one. `--replace FILE` puts another file in the place of one of the same name.
 */
import { statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { BackendName } from '../src/engines/protocol/backend.ts'
import { runtimeLayout } from '../src/engines/runtime/runtime-paths.ts'
import { buildUi, uiScripts } from './build/build-ui.ts'
import { compileExecutable, embed } from './build/compile-executable.ts'
import { installBackendPackages } from './build/install-packages.ts'
import { collectLicenses } from './build/licenses.ts'
import { nativeLicenses } from './build/native-licenses.ts'
import { packFiles } from './build/pack-files.ts'
import { programThreads } from './build/program-threads.ts'
import { runtimeFiles } from './build/runtime-files.ts'
import { buildNative } from './build-native.ts'
import { buildOnnx } from './build-onnx.ts'
import { describeCudaCode } from './cuda/describe.ts'
import { builtLibrary, libraryName } from './cuda/places.ts'
import { fetchCudaProvider } from './native/cuda-provider.ts'
import { unpackLlamaSource } from './native/llama-source.ts'

const root = join(import.meta.dir, '..')
const nodeModules = join(root, 'node_modules')
const main = join(root, 'src', 'main.ts')
const threads = programThreads(root)

interface BuildOptions {
  readonly backends: readonly BackendName[]
  readonly output: string
  /** CUDA backend to carry. Undefined for the last built one, else the shipped one. */
  readonly cudaLibrary: string | undefined
  /** Files that replace others of the same name. */
  readonly replace: readonly string[]
}

async function build({ backends, output, cudaLibrary, replace }: BuildOptions): Promise<void> {
  const work = join(root, 'build', 'executable')
  await installBackendPackages(root, backends)
  buildOnnx(nodeModules, join(root, dirname(runtimeLayout.onnxRuntime)))
  if (backends.includes('cuda')) await fetchCudaProvider(root)
  await buildNative()
  const ui = await buildUi()
  const source = await unpackLlamaSource(join(nodeModules, 'node-llama-cpp'), join(root, 'build'))
  const licenses = join(work, 'LICENSES.txt')
  await Bun.write(
    licenses,
    await collectLicenses(nodeModules, nativeLicenses(nodeModules, source.folder), [main, ...threads, ...uiScripts]),
  )
  const library = backends.includes('cuda') ? (cudaLibrary ?? builtLibrary(root, source.release)) : undefined
  if (library !== undefined) console.error(`build: ${library}: ${describeCudaCode(library)}`)
  const replaced = {
    ...(library === undefined ? {} : { [libraryName]: library }),
    ...Object.fromEntries(replace.map((file) => [basename(file), file])),
  }
  const files = [...runtimeFiles({ root, backends, replaced }), { path: 'LICENSES.txt', source: licenses }]
  const embedded = packFiles(files, join(work, `packed-${backends.join('-')}`))
  await compileExecutable({ main, threads, assets: [ui] }, embed(embedded), output)
}

function readOptions(): BuildOptions {
  const { values } = parseArgs({
    options: {
      cuda: { type: 'boolean', default: false },
      'cuda-library': { type: 'string' },
      replace: { type: 'string', multiple: true, default: [] },
      output: { type: 'string' },
    },
  })
  const cudaLibrary = values['cuda-library']
  if (cudaLibrary !== undefined && !values.cuda) throw new Error('--cuda-library goes with --cuda')
  const name = values.cuda ? 'inferd-cuda' : 'inferd'
  return {
    backends: values.cuda ? ['cpu', 'vulkan', 'cuda'] : ['cpu', 'vulkan'],
    output: resolve(values.output ?? join(root, name)),
    cudaLibrary: cudaLibrary === undefined ? undefined : resolve(cudaLibrary),
    replace: values.replace.map((file) => resolve(file)),
  }
}

try {
  const options = readOptions()
  await build(options)
  console.log(`${options.output}\t${(statSync(options.output).size / 1e6).toFixed(0)} MB`)
} catch (error) {
  // The bundler throws one error with all others in it.
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error]
  for (const each of errors) console.error(`build: ${each instanceof Error ? each.message : each}`)
  process.exit(1)
}
