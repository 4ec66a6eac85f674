/**
 * A copy of this checkout whose GPU libraries are stubs, on a machine that seems to have an NVIDIA card, for tests of
 * whole servers and commands.
 */
import {
  constants,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { StubProvider } from '../stub-provider.ts'
import { testedProgram } from '../tested-program.ts'
import { type StubBuilds, stubRuntime } from './stub-backend.ts'

const root = join(import.meta.dir, '../../..')

export interface StubCheckout {
  /** Words that start the program. */
  readonly program: readonly string[]
  /** Environment in which the program sees the card. */
  readonly environment: Readonly<Record<string, string>>
}

export interface StubCheckoutOptions {
  readonly builds?: StubBuilds
  /** ONNX Runtime with stubs of its provider. */
  readonly provider?: StubProvider
  /** While this file exists, `DIES_LATER` dies. */
  readonly diesFile?: string
}

/** Creates the copy below `folder`. */
export async function stubCheckout(
  folder: string,
  { builds = {}, provider, diesFile }: StubCheckoutOptions,
): Promise<StubCheckout> {
  const copy = mkdtempSync(join(folder, 'checkout-'))
  await stubRuntime(copy, builds, diesFile)
  const modules = join(copy, 'node_modules')
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === '@node-llama-cpp' || name === 'node-llama-cpp') continue
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  symlinkSync(join(root, 'models'), join(copy, 'models'))
  mkdirSync(join(copy, 'build'))
  symlinkSync(join(root, 'build/native'), join(copy, 'build/native'))
  symlinkSync(
    provider === undefined ? join(root, 'build/onnx') : dirname(provider.runtime.onnxRuntime),
    join(copy, 'build/onnx'),
  )
  return { program: copyProgram(copy), environment: fakeCard(copy) }
}

/**
 * Copies the tested program, which finds its checkout by its own folder, and returns the words that start it. A copy
 * of the executable shares its bytes where the file system can.
 */
function copyProgram(copy: string): readonly string[] {
  const [first = '', main] = testedProgram
  if (main === undefined) {
    const executable = join(copy, relative(root, first))
    mkdirSync(dirname(executable))
    copyFileSync(first, executable, constants.COPYFILE_FICLONE)
    return [executable]
  }
  for (const name of ['src', 'package.json', 'tsconfig.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true })
  return [first, join(copy, relative(root, main))]
}

/**
 * Makes a driver that is only a library's name, and a program that lists one card. Returns the environment that finds
 * both.
 */
function fakeCard(folder: string): Readonly<Record<string, string>> {
  const driver = join(folder, 'driver')
  mkdirSync(driver)
  writeFileSync(join(driver, 'libcuda.so.1'), '')
  const card = 'GPU-1, Stub H200, 580.95.05'
  const answers = [
    `*compute_cap*) echo "${card}, 9.0, Disabled" ;;`,
    `*memory.free*) echo "${card}, Disabled, 81920, 80000" ;;`,
    '*) exit 6 ;;',
  ]
  const program = `#!/bin/sh\ncase "$*" in\n${answers.join('\n')}\nesac\n`
  writeFileSync(join(driver, 'nvidia-smi'), program, { mode: 0o755 })
  return { LD_LIBRARY_PATH: driver, PATH: `${driver}:/usr/bin:/bin` }
}
