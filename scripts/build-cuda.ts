/**
 * Compiles llama.cpp's CUDA backend for the given cards from the source that node-llama-cpp carries. Objects are kept in `build/cuda`
 * by what they were made from: a stopped build goes on where it was.
 */
import { statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { backendPackage } from './build/runtime-files.ts'
import { installBackendPackages } from './build/install-packages.ts'
import { linkBackend } from './cuda/link.ts'
import { progressLine } from './cuda/progress.ts'
import { type CudaToolkit, findToolkit, hasCublasHeader, wantedToolkit } from './cuda/toolkit.ts'
import { cudaUnits, releaseArchitectures } from './cuda/units.ts'
import { compileUnits } from './native/compile.ts'
import { unpackLlamaSource } from './native/llama-source.ts'
import { readFlags, runScript } from './shared/command-line.ts'

const usage = `Usage: bun scripts/build-cuda.ts [--archs ${releaseArchitectures.join(',')}] [--jobs N] [--output FILE]

  --archs   cards by compute capability without the dot; all of a release without it
  --jobs    files compiled at once; all cores without it
  --output  the library; build/cuda/ARCHITECTURES/libggml-cuda.so without it`

const root = join(import.meta.dir, '..')
const nodeModules = join(root, 'node_modules')
const build = join(root, 'build')

async function main(): Promise<number> {
  const flags = readFlags({ archs: releaseArchitectures.join(','), jobs: navigator.hardwareConcurrency, output: '' })
  const architectures = flags.archs.split(',').filter((name) => name !== '')
  const toolkit = await usableToolkit(architectures)
  const folder = join(build, 'cuda', architectures.join('-'))
  const output = flags.output === '' ? join(folder, 'libggml-cuda.so') : resolve(flags.output)

  await installBackendPackages(root, ['cuda'])
  const source = await unpackLlamaSource(join(nodeModules, 'node-llama-cpp'), build)
  const declarations = hasCublasHeader(toolkit) ? undefined : join(import.meta.dir, 'cuda', 'declarations')
  const units = cudaUnits({ root, llamaCpp: source.folder, architectures, declarations })
  const objects = await compileUnits(
    units,
    { root, cache: join(folder, 'objects') },
    { program: toolkit.nvcc, jobs: Math.max(1, flags.jobs), onProgress: progressLine('build-cuda') },
  )
  const packageName = backendPackage('cuda')
  const shippedLibraries = join(nodeModules, packageName, 'bins', packageName.split('/')[1] ?? '')
  await linkBackend({ objects, toolkit, shippedLibraries, work: join(folder, 'linked'), output })
  console.log(`${relative(process.cwd(), output)}\t${(statSync(output).size / 1e6).toFixed(0)} MB`)
  return 0
}

/** Returns the toolkit that compiles; throws where none is there or it does not know a card, and says when it is not the wanted one. */
async function usableToolkit(architectures: readonly string[]): Promise<CudaToolkit> {
  const toolkit = await findToolkit()
  if (toolkit === undefined) {
    throw new Error(
      `nvcc is missing: install NVIDIA's CUDA toolkit ${wantedToolkit}, or set CUDA_HOME to the folder that holds bin/nvcc`,
    )
  }
  const unknown = architectures.filter((name) => !toolkit.architectures.includes(name.replace(/[a-z]$/, '')))
  if (architectures.length === 0 || unknown.length > 0) {
    const known = toolkit.architectures.join(', ')
    throw new Error(`--archs ${architectures.join(',')}: CUDA toolkit ${toolkit.version} knows ${known}`)
  }
  if (toolkit.version !== wantedToolkit) {
    console.error(
      `build-cuda: CUDA toolkit ${toolkit.version} is used; ${wantedToolkit} makes code for every driver from 580`,
    )
  }
  return toolkit
}

runScript(usage, main)
