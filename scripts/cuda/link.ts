import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from '../native/tools.ts'
import { type CudaToolkit, toolkitLibrary } from './toolkit.ts'

export interface LinkInputs {
  readonly objects: readonly string[]
  readonly toolkit: CudaToolkit
  /** Folder of `libggml-base.so`, beside which the library will be. */
  readonly shippedLibraries: string
  /** Folder for stand-ins. */
  readonly work: string
  readonly output: string
}

/**
 * Links the objects to a backend library. Every symbol must be found in ggml, NVIDIA's libraries or the C++ runtime.
 */
export async function linkBackend({ objects, toolkit, shippedLibraries, work, output }: LinkInputs): Promise<void> {
  const major = toolkit.version.split('.')[0]
  const wanted = [`libcublas.so.${major}`, `libcudart.so.${major}`, 'libcuda.so.1']
  const undefinedNames = await undefinedSymbols(objects)
  mkdirSync(work, { recursive: true })
  for (const name of wanted) await prepareLibrary(name, { toolkit, work, undefinedNames })
  mkdirSync(dirname(output), { recursive: true })
  const linked = ['libggml-base.so', ...wanted].map((name) => `-l:${name}`)
  await run(
    [
      ...['g++', '-shared', '-s', '-o', `${output}.tmp`, ...objects, `-L${shippedLibraries}`, `-L${work}`],
      ...['-Wl,--no-as-needed', ...linked, '-lpthread'],
      ...['-Wl,-rpath,$ORIGIN', '-Wl,-z,defs', '-Wl,-z,noexecstack', `-Wl,-rpath-link,${shippedLibraries}`],
    ],
    work,
  )
  renameSync(`${output}.tmp`, output)
}

/** Functions of cuBLAS and of the driver, by the start of their names. */
const standInPrefixes: Readonly<Record<string, RegExp>> = { libcublas: /^cublas[A-Z]/, libcuda: /^cu[A-Z]/ }

/**
 * Puts the toolkit's library into `work`, or a stand-in of the same name with empty functions. Linking needs only
 * names, so neither the driver nor cuBLAS must be on the building machine.
 */
async function prepareLibrary(
  name: string,
  { toolkit, work, undefinedNames }: { toolkit: CudaToolkit; work: string; undefinedNames: readonly string[] },
): Promise<void> {
  const target = join(work, name)
  rmSync(target, { force: true })
  const found = toolkitLibrary(toolkit, name)
  if (found !== undefined) return symlinkSync(found, target)
  const prefix = standInPrefixes[name.split('.')[0] ?? '']
  if (prefix === undefined)
    throw new Error(`${name} is missing in ${toolkit.folder}: install the toolkit's runtime library`)
  const source = join(work, `${name}.c`)
  const functions = undefinedNames.filter((symbol) => prefix.test(symbol)).map((symbol) => `void ${symbol}(void) {}\n`)
  writeFileSync(source, functions.join(''))
  await run(['gcc', '-shared', '-fPIC', source, `-Wl,-soname,${name}`, '-o', target], work)
}

async function undefinedSymbols(objects: readonly string[]): Promise<string[]> {
  const listed = await run(['nm', '-u', '-j', ...objects], '/')
  return [...new Set(listed.split('\n').map((line) => line.trim()))].filter((line) => /^\w+$/.test(line))
}
