import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { run } from './tools.ts'

export interface Unit {
  /** The .cpp or .c file. */
  readonly source: string
  /** Name of the object file, unique among the units. */
  readonly name: string
  readonly flags: readonly string[]
}

export interface Places {
  /**
   * Folder in which the compiler runs. Paths in units are relative to it, so that objects do not depend on its place.
   */
  readonly root: string
  /** Absolute. */
  readonly cache: string
}

export interface Compiler {
  /** Program, found on the PATH or by an absolute path. */
  readonly program: string
  /** Number of compilers that run at once. */
  readonly jobs: number
  /** Called before the first unit and after each. Not called if all are up to date. */
  onProgress(doneUnits: number, staleUnits: number): void
}

const gnu: Compiler = {
  program: 'g++',
  jobs: navigator.hardwareConcurrency,
  onProgress: (done, stale) => {
    if (done === 0) console.error(`native: compiling ${stale} files`)
  },
}

/**
 * Compiles units, several at once, and returns their object files in order. An object's name holds a hash of everything
 * it was made from: compiler, flags, source and every header, the system's included. So an unchanged unit is never
 * compiled again.
 */
export async function compileUnits(
  units: readonly Unit[],
  { root, cache }: Places,
  { program, jobs, onProgress }: Compiler = gnu,
): Promise<string[]> {
  mkdirSync(cache, { recursive: true })
  const version = await run([program, '--version'], cache)
  const setting = { root, cache, program, version, hashes: new FileHashes(root) }
  const objects = new Map<Unit, string>()
  const stale: Unit[] = []

  for (const unit of units) {
    const object = cachedObject(unit, setting)
    if (object === undefined) stale.push(unit)
    else objects.set(unit, object)
  }

  const staleUnits = stale.length
  let doneUnits = 0
  if (staleUnits > 0) onProgress(doneUnits, staleUnits)
  const worker = async (): Promise<void> => {
    for (let unit = stale.shift(); unit !== undefined; unit = stale.shift()) {
      objects.set(unit, await compile(unit, setting))
      doneUnits++
      onProgress(doneUnits, staleUnits)
    }
  }
  await Promise.all(Array.from({ length: jobs }, worker))

  return units.map((unit) => {
    const object = objects.get(unit)
    if (object === undefined) throw new Error(`${unit.source} has no object file: this is a bug`)
    return object
  })
}

interface Setting extends Places {
  readonly program: string
  /** Version that the compiler prints. */
  readonly version: string
  readonly hashes: FileHashes
}

function cachedObject(unit: Unit, setting: Setting): string | undefined {
  const dependencies = join(setting.cache, `${unit.name}.d`)
  if (!existsSync(dependencies)) return undefined
  const object = objectPath(unit, dependencies, setting)
  return object !== undefined && existsSync(object) ? object : undefined
}

async function compile(unit: Unit, setting: Setting): Promise<string> {
  const temporary = join(setting.cache, `${unit.name}.${process.pid}.tmp`)
  const dependencies = join(setting.cache, `${unit.name}.d`)
  const command = [
    setting.program,
    ...unit.flags,
    '-c',
    unit.source,
    '-o',
    `${temporary}.o`,
    '-MD',
    '-MF',
    `${temporary}.d`,
  ]
  await run(command, setting.root)

  renameSync(`${temporary}.d`, dependencies)
  const object = objectPath(unit, dependencies, setting)
  if (object === undefined) throw new Error(`${unit.source} changed while it was compiled: run again`)
  const older = readdirSync(setting.cache).filter((file) => file.startsWith(`${unit.name}.`) && file.endsWith('.o'))
  renameSync(`${temporary}.o`, object)
  for (const file of older) {
    if (join(setting.cache, file) !== object) rmSync(join(setting.cache, file), { force: true })
  }
  return object
}

/** Returns the path of the object for the current content; undefined if one of its files is gone. */
function objectPath(unit: Unit, dependencies: string, { cache, version, hashes }: Setting): string | undefined {
  const hasher = new Bun.CryptoHasher('sha256').update(version).update(unit.flags.join('\n'))
  for (const file of readDependencies(dependencies)) {
    const hash = hashes.of(file)
    if (hash === undefined) return undefined
    hasher.update(hash)
  }
  return join(cache, `${unit.name}.${hasher.digest('hex').slice(0, 16)}.o`)
}

/** Returns the files of a make rule `object: source header header \`, as `-MD` writes it. */
function readDependencies(file: string): string[] {
  const [, list = ''] = readFileSync(file, 'utf8').split(/:\s/, 2)
  return list.split(/(?<!\\)[\s\\]+/).filter((path) => path !== '')
}

/** Hashes of files' contents. Reads each file once per build. */
class FileHashes {
  readonly #root: string
  readonly #known = new Map<string, string | undefined>()

  constructor(root: string) {
    this.#root = root
  }

  of(file: string): string | undefined {
    if (!this.#known.has(file)) {
      const path = resolve(this.#root, file)
      this.#known.set(file, existsSync(path) ? Bun.hash(readFileSync(path)).toString(16) : undefined)
    }
    return this.#known.get(file)
  }
}
