/**
 * Builds the addons in `native/`. llama.cpp's contains its vision library, and links the rest of llama.cpp from the
 * libraries that node-llama-cpp ships. The one in `native/speech/` links nothing. `bun run native` prints the first
 * one's path.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join, relative } from 'node:path'
import { compileUnits, type Unit } from './native/compile.ts'
import { llamaLibraries } from './native/llama-libraries.ts'
import { type LlamaSource, unpackLlamaSource } from './native/llama-source.ts'
import { requirePrograms, run } from './native/tools.ts'

const root = join(import.meta.dir, '..')
const nodeModules = join(root, 'node_modules')
const nodeLlamaCpp = join(nodeModules, 'node-llama-cpp')
const output = join(root, 'build', 'native')

/** Only N-API's entry point is visible, so that no symbol of ours conflicts with another library's. */
const commonFlags = [
  ...['-O2', '-fPIC', '-DNDEBUG', '-fvisibility=hidden'],
  // Keeps names of source files in assertions relative to `root`, as given.
  '-fno-canonical-system-headers',
]
/** `now`: a symbol that the shipped libraries lack is reported at load, not in the middle of a request. */
const linkFlags = ['-shared', '-s', '-Wl,-z,now', '-Wl,-z,noexecstack']

/** Builds what is out of date and returns the absolute path of llama.cpp's addon. */
export async function buildNative(): Promise<string> {
  const objects = await compileNative(() => true)
  await buildSpeech()
  const { folder: libraries, linked } = llamaLibraries(nodeModules)
  const ownFlags = [`-L${libraries}`, '-Wl,-rpath,$ORIGIN', `-Wl,-rpath-link,${libraries}`]
  return link('inferd-llama.cpu.node', [...objects, ...ownFlags, ...linked.map((name) => `-l:${name}`)])
}

/** Builds the addon that recognises several recordings in one run. It finds sherpa-onnx's functions when it is opened. */
async function buildSpeech(): Promise<string> {
  const files = readdirSync(join(root, 'native', 'speech')).filter((file) => file.endsWith('.cpp'))
  const sources = [...files.map((file) => join('native', 'speech', file)), join('native', 'work-thread.cpp')]
  const units = sources.map((source) => addonUnit(source, `speech-${basename(source, '.cpp')}`, []))
  return link('inferd-speech.node', await compileUnits(units, { root, cache: join(output, 'cache') }))
}

/** Builds the object files of the vision library, for programs that compare with it. */
export function buildVision(): Promise<string[]> {
  return compileNative(({ name }) => name.startsWith('vision-') || name === 'addon-mtmd-internals')
}

/** Builds the object files of some of the addon's sources, for programs that test them alone. */
export function buildSources(names: readonly string[]): Promise<string[]> {
  return compileNative(({ name }) => names.some((wanted) => name === `addon-${wanted}`))
}

async function compileNative(isWanted: (unit: Unit) => boolean): Promise<string[]> {
  requirePrograms()
  const source = await unpackLlamaSource(nodeLlamaCpp, join(root, 'build'))
  const { version } = await Bun.file(join(nodeLlamaCpp, 'package.json')).json()
  const units = [...visionUnits(source), ...addonUnits(source, version)].filter(isWanted)
  return compileUnits(units, { root, cache: join(output, 'cache') })
}

function visionUnits({ folder }: LlamaSource): Unit[] {
  const vision = join(folder, 'tools', 'mtmd')
  const models = readdirSync(join(vision, 'models')).filter((file) => file.endsWith('.cpp'))
  const sources = [
    // native/mtmd-internals.cpp includes mtmd.cpp and clip.cpp.
    ...['mtmd-audio', 'mtmd-image', 'mtmd-helper'].map((name) => join(vision, `${name}.cpp`)),
    ...models.map((file) => join(vision, 'models', file)),
    join(folder, 'vendor', 'hash', 'hash.cpp'),
    join(folder, 'vendor', 'hash', 'sha256', 'sha256.c'),
  ]
  const includes = ['tools/mtmd', 'include', 'ggml/include', 'vendor', 'vendor/hash'].map((path) =>
    includeFlag(folder, path),
  )
  return sources.map((file) => ({
    source: relative(root, file),
    name: `vision-${basename(file, extname(file))}`,
    flags: [...languageFlags(file), ...commonFlags, '-w', ...includes],
  }))
}

function addonUnits({ folder, release }: LlamaSource, version: string): Unit[] {
  const includes = ['include', 'ggml/include', 'common', 'src', 'vendor', 'tools/mtmd'].map((path) =>
    includeFlag(folder, path),
  )
  const defines = [`-DNODE_LLAMA_CPP_VERSION="${version}"`, `-DLLAMA_CPP_RELEASE="${release}"`]
  const files = readdirSync(join(root, 'native')).filter((file) => file.endsWith('.cpp'))
  return files.map((file) =>
    addonUnit(join('native', file), `addon-${basename(file, '.cpp')}`, [...defines, ...includes]),
  )
}

/** Returns the unit of one of our sources, which uses N-API. */
function addonUnit(source: string, name: string, flags: readonly string[]): Unit {
  const own = ['-DNAPI_VERSION=8', '-DNODE_ADDON_API_CPP_EXCEPTIONS_ALL']
  const includes = ['node-addon-api', 'node-api-headers/include'].map((path) => includeFlag(nodeModules, path))
  const warnings = ['-Wall', '-Wextra']
  // The vision library only builds graphs, so -O3 would double the compile time for nothing.
  const speed = basename(source) === 'mtmd-internals.cpp' ? [] : ['-O3']
  return {
    source,
    name,
    flags: [...languageFlags(source), ...commonFlags, ...speed, ...warnings, ...own, ...flags, ...includes],
  }
}

function languageFlags(file: string): string[] {
  return file.endsWith('.c') ? ['-x', 'c'] : ['-std=c++17']
}

function includeFlag(folder: string, path: string): string {
  return `-isystem${relative(root, join(folder, path))}`
}

/** Links an addon from objects and flags, and returns its absolute path. */
async function link(name: string, parts: readonly string[]): Promise<string> {
  const file = join(output, name)
  const command = ['g++', ...linkFlags, ...parts]
  // Object names hold their content's hash, so an unchanged command makes an unchanged file.
  const stamp = join(output, 'cache', `${name}.link`)
  const wanted = command.join('\n')
  if (existsSync(file) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return file

  mkdirSync(output, { recursive: true })
  rmSync(stamp, { force: true })
  await run([...command, '-o', `${file}.tmp`], output)
  renameSync(`${file}.tmp`, file)
  writeFileSync(stamp, wanted)
  return file
}

if (import.meta.main) {
  try {
    console.log(await buildNative())
  } catch (error) {
    console.error(`native: ${error instanceof Error ? error.message : error}`)
    process.exit(1)
  }
}
