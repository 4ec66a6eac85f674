/** Stub libraries in the place of `libggml-cuda.so`: compiled once, each with one fault. */
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RuntimePaths } from '../../engines/protocol/backend.ts'
import { runtimePaths } from '../../engines/runtime/runtime-paths.ts'

const root = join(import.meta.dir, '../../..')
const source = join(import.meta.dir, 'stub-backend.c')
const cpuFolder = join(root, 'node_modules/@node-llama-cpp/linux-x64/bins/linux-x64')

export type StubMode =
  | 'COMPUTES'
  | 'WRONG_NUMBERS'
  | 'ABORTS'
  | 'HANGS'
  | 'OLD_DRIVER'
  | 'LACKS_SYMBOL'
  | 'OLD_DRIVER_FOR_PTX'
  | 'NO_KERNEL'
  | 'OUT_OF_MEMORY'
  | 'DIES_LATER'
  /** Dies later by a signal, without a message. */
  | 'CRASHES_LATER'
  /** Dies later by a signal, when a model is loaded. */
  | 'LOADS_NO_MORE'
  | 'KILLED'
  /** Needs a library that does not exist. */
  | 'LACKS_LIBRARY'

/** Stubs that replace NVIDIA's libraries, by the build of llama.cpp. */
export interface StubBuilds {
  /** Devices of each library. Defaults to 1. Only one of them has the fault. */
  readonly devices?: number
  /** Index of the faulty device. Defaults to 0. */
  readonly faulty?: number
  readonly cuda?: StubMode
  readonly 'cuda-12'?: StubMode
}

const places: Readonly<Record<'cuda' | 'cuda-12', string>> = {
  cuda: 'linux-x64-cuda/bins/linux-x64-cuda',
  'cuda-12': 'linux-x64-cuda-ext/bins/linux-x64-cuda/fallback',
}

/**
 * Returns the paths of a runtime below `folder` whose only GPU libraries are the stubs. `DIES_LATER` dies once
 * `diesFile` exists.
 */
export async function stubRuntime(folder: string, builds: StubBuilds, diesFile = ''): Promise<RuntimePaths> {
  const real = await runtimePaths('')
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@node-llama-cpp'), { recursive: true })
  symlinkSync(join(root, 'node_modules/node-llama-cpp'), join(modules, 'node-llama-cpp'))
  symlinkSync(join(root, 'node_modules/@node-llama-cpp/linux-x64'), join(modules, '@node-llama-cpp/linux-x64'))
  const { devices = 1, faulty = 0, ...modes } = builds
  for (const [build, mode] of Object.entries(modes) as [keyof typeof places, StubMode][]) {
    const place = join(modules, '@node-llama-cpp', places[build])
    mkdirSync(place, { recursive: true })
    symlinkSync(await compileStub(mode, { diesFile, devices, faulty }), join(place, 'libggml-cuda.so'))
  }
  return { ...real, nodeLlamaCpp: join(modules, 'node-llama-cpp/package.json') }
}

async function compileStub(
  mode: StubMode,
  { diesFile, devices, faulty }: { readonly diesFile: string; readonly devices: number; readonly faulty: number },
): Promise<string> {
  const folder = join(root, 'build', 'stubs')
  const hash = Bun.hash(
    `${await Bun.file(source).text()}${await Bun.file(import.meta.path).text()}${mode}${diesFile}${devices} ${faulty}`,
  ).toString(16)
  const file = join(folder, `${hash}.so`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  const lacked = mode === 'LACKS_LIBRARY' ? await lackedLibrary(folder) : []
  const headers = await backendHeader(folder)
  const unfinished = `${file}.${process.pid}`
  await run([
    ...[
      'g++',
      '-x',
      'c',
      '-shared',
      '-fPIC',
      '-w',
      '-Wl,-z,now',
      '-Wl,--no-as-needed',
      '-DGGML_BACKEND_DL',
      '-DGGML_BACKEND_SHARED',
    ],
    ...[
      `-DMODE=${mode === 'LACKS_LIBRARY' ? 'COMPUTES' : mode}`,
      `-DSTUB_DIES="${diesFile}"`,
      `-DDEVICES=${devices}`,
      `-DFAULTY=${faulty}`,
    ],
    ...['-I', headers, '-I', join(root, 'build/llama.cpp-v0.5.0/ggml/include'), source],
    ...['-L', cpuFolder, '-l:libggml.v0.5.0.so', '-l:libggml-base.so', ...lacked, '-o', unfinished],
  ])
  renameSync(unfinished, file)
  return file
}

/** Returns the compiler's words that link a stub to cudart, which no loader finds. */
async function lackedLibrary(folder: string): Promise<readonly string[]> {
  const hidden = join(folder, 'hidden')
  mkdirSync(hidden, { recursive: true })
  const empty = join(hidden, 'empty.c')
  writeFileSync(empty, 'int cudaStub(void) { return 0; }\n')
  const library = join(hidden, 'libcudart.so.99')
  await run(['g++', '-x', 'c', '-shared', '-fPIC', '-Wl,-soname,libcudart.so.99', empty, '-o', library])
  return ['-L', hidden, '-l:libcudart.so.99']
}

/** Returns the folder of ggml's internal header, from the source that node-llama-cpp carries. */
async function backendHeader(folder: string): Promise<string> {
  const file = join(folder, 'ggml-backend-impl.h')
  if (existsSync(file)) return folder
  const clone = join(folder, `source.${process.pid}`)
  const bundle = join(root, 'node_modules/node-llama-cpp/llama/gitRelease.bundle')
  await run(['git', 'clone', '--quiet', '--bare', bundle, clone])
  const header = await run(['git', '-C', clone, 'show', 'HEAD:ggml/src/ggml-backend-impl.h'])
  writeFileSync(`${file}.${process.pid}`, header)
  renameSync(`${file}.${process.pid}`, file)
  await run(['rm', '-rf', clone])
  return folder
}

async function run(words: readonly string[]): Promise<string> {
  const child = Bun.spawn([...words], { stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`${words[0]}: ${errors}`)
  return output
}
