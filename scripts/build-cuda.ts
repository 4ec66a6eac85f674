/**
 * Compiles llama.cpp's CUDA backend for the given cards, from the source that node-llama-cpp carries, and prints the
 * library's path. Objects are kept in `build/cuda` by their inputs, so that a stopped build continues.
 */
import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { installBackendPackages } from './build/install-packages.ts'
import { cardsHere, unknownTo } from './cuda/cards.ts'
import { describeCudaCode } from './cuda/describe.ts'
import { linkBackend } from './cuda/link.ts'
import { buildFolder, libraryName, shippedLibraries } from './cuda/places.ts'
import { progressLine } from './cuda/progress.ts'
import { type CudaToolkit, findToolkit, hasCublasHeader, wantedToolkit } from './cuda/toolkit.ts'
import { cudaUnits, releaseArchitectures } from './cuda/units.ts'
import { compileUnits } from './native/compile.ts'
import { unpackLlamaSource } from './native/llama-source.ts'
import { readFlags, runScript } from './shared/command-line.ts'

const usage = `Usage: bun scripts/build-cuda.ts [--archs ${releaseArchitectures.join(',')} | --archs cards] [--jobs N] [--output FILE]

  --archs   cards by compute capability without the dot; all of a release without it; \`cards\`: those of this machine,
            or the library that node-llama-cpp ships where there is no card or no CUDA toolkit
  --jobs    files compiled at once; all cores without it
  --output  the library; in build/cuda/ without it`

const root = join(import.meta.dir, '..')

async function main(): Promise<number> {
  const flags = readFlags({ archs: releaseArchitectures.join(','), jobs: navigator.hardwareConcurrency, output: '' })
  await installBackendPackages(root, ['cuda'])
  const toolkit = await findToolkit()
  const architectures = flags.archs === 'cards' ? cardsHere() : flags.archs.split(',').filter((name) => name !== '')
  const shipped = join(shippedLibraries(root), libraryName)
  if (flags.archs === 'cards') {
    const reason = reasonForShipped(architectures, toolkit)
    if (reason !== undefined) {
      console.error(`build-cuda: ${reason}, so the shipped library is taken: ${describeCudaCode(shipped)}`)
      console.log(shipped)
      return 0
    }
  }
  checkToolkit(toolkit, architectures)
  const library = await buildLibrary(toolkit, { architectures, output: flags.output, jobs: Math.max(1, flags.jobs) })
  console.error(`build-cuda: ${(statSync(library).size / 1e6).toFixed(0)} MB, ${describeCudaCode(library)}`)
  console.log(library)
  return 0
}

function reasonForShipped(cards: readonly string[], toolkit: CudaToolkit | undefined): string | undefined {
  if (cards.length === 0) return 'no NVIDIA card that can be used is seen here'
  if (toolkit === undefined) return 'nvcc is not here'
  const unknown = unknownTo(toolkit.architectures, cards)
  return unknown.length > 0 ? `CUDA toolkit ${toolkit.version} makes no code for ${unknown.join(', ')}` : undefined
}

/** Throws if there is no toolkit, or it does not know a card. Prints a warning if it is not the wanted one. */
function checkToolkit(toolkit: CudaToolkit | undefined, architectures: readonly string[]): asserts toolkit {
  if (toolkit === undefined) {
    throw new Error(
      `nvcc is missing: install NVIDIA's CUDA toolkit ${wantedToolkit}, or set CUDA_HOME to the folder of bin/nvcc`,
    )
  }
  if (architectures.length === 0 || unknownTo(toolkit.architectures, architectures).length > 0) {
    const known = toolkit.architectures.join(', ')
    throw new Error(`--archs ${architectures.join(',')}: CUDA toolkit ${toolkit.version} makes code for ${known}`)
  }
  if (toolkit.version !== wantedToolkit) {
    console.error(
      `build-cuda: CUDA toolkit ${toolkit.version} is used; PTX of ${wantedToolkit} would load on every driver from 580`,
    )
  }
}

interface Wanted {
  readonly architectures: readonly string[]
  /** Path of the library. Empty for the usual place. */
  readonly output: string
  readonly jobs: number
}

async function buildLibrary(toolkit: CudaToolkit, { architectures, output, jobs }: Wanted): Promise<string> {
  const source = await unpackLlamaSource(join(root, 'node_modules', 'node-llama-cpp'), join(root, 'build'))
  const folder = buildFolder(root, source.release, architectures)
  const library = output === '' ? join(folder, libraryName) : resolve(output)
  const declarations = hasCublasHeader(toolkit) ? undefined : join(import.meta.dir, 'cuda', 'declarations')
  console.error(
    `build-cuda: ${architectures.join(', ')} with CUDA toolkit ${toolkit.version} in ${dirname(dirname(toolkit.nvcc))}`,
  )
  const objects = await compileUnits(
    cudaUnits({ root, llamaCpp: source.folder, architectures, declarations }),
    { root, cache: join(folder, 'objects') },
    { program: toolkit.nvcc, jobs, onProgress: progressLine('build-cuda') },
  )
  await linkBackend({
    objects,
    toolkit,
    shippedLibraries: shippedLibraries(root),
    work: join(folder, 'linked'),
    output: library,
  })
  return library
}

runScript(usage, main)
