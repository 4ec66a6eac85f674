import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { shippedLibraries } from '../cuda/places.ts'
import { run } from '../native/tools.ts'

const sources = ['batched-bench.cpp', 'main.cpp'].map((name) => `tools/batched-bench/${name}`)

/** Compiles llama.cpp's bare decode loop, and links it with inferd's llama.cpp core. */
export async function buildBatchedBench(root: string, work: string, output: string): Promise<void> {
  const folder = join(work, 'llama.cpp')
  const bundle = join(root, 'node_modules/node-llama-cpp/llama/gitRelease.bundle')
  await run(['git', 'clone', '--quiet', '--no-checkout', bundle, folder], work)
  await run(
    ['git', 'checkout', '--quiet', 'HEAD', '--', 'tools/batched-bench', 'common', 'include', 'ggml/include', 'vendor'],
    folder,
  )
  const libraries = shippedLibraries(root, 'cpu')
  const linked = readdirSync(libraries).filter((file) => /^lib(llama|ggml)\..*\.so$/.test(file))
  const includes = ['common', 'include', 'ggml/include', 'vendor'].map((path) => `-I${path}`)
  await run(
    [
      ...['g++', '-O2', '-std=c++17', '-w', ...includes, ...sources, '-o', output, `-L${libraries}`],
      ...['libllama-common.so', ...linked, 'libggml-base.so'].map((name) => `-l:${name}`),
      ...['-Wl,-rpath,$ORIGIN', `-Wl,-rpath-link,${libraries}`, '-s'],
    ],
    folder,
  )
}
