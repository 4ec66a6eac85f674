/** Puts NVIDIA's libraries into the data folder: out of wheels, and out of folders. */
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ZipError, type ZipMember, ZipReader } from '../../store/archive/zip-reader.ts'
import { type Disk, realDisk } from '../../store/disk.ts'
import { asDiskError } from '../../store/download/disk-error.ts'
import { renameDurably } from '../../store/durable.ts'
import { isNvidiaLibrary } from '../libraries.ts'
import { licenseFolder, ownLibraryFolder } from '../own-folder.ts'
import { readSoname } from '../shared-library.ts'
import { wheelArchitecture } from './wheels.ts'

/** Something that holds no library that is wanted; the message is whole. */
export class KeepError extends Error {
  override name: string = 'KeepError'
}

/** A wheel of something else, or for another machine: a folder of wheels may hold such. */
export class OtherWheelError extends KeepError {
  override name = 'OtherWheelError'
}

export interface KeepOptions {
  readonly dataDir: string
  readonly signal: AbortSignal
  readonly onBytes?: (bytes: number) => void
  readonly disk?: Disk
}

interface Source {
  readonly name: string
  readonly bytes: number
  read(): AsyncIterable<Uint8Array>
}

/** Largest file: cuBLASLt has 542 MB today. */
const largestLibraryBytes = 4 * 1024 ** 3
const largestLicenseBytes = 1024 * 1024

/**
 * Unpacks the libraries of a wheel, and its licence; the other members stay packed. All are whole and flushed before the first
 * gets its name. Returns their names. Throws KeepError, DiskFullError, the signal's reason.
 */
export async function keepWheel(path: string, options: KeepOptions): Promise<string[]> {
  try {
    if (!(await stat(path)).isFile()) throw new KeepError(`${path} is neither a folder nor a wheel`)
    if (isForOther(basename(path))) throw new OtherWheelError(`${path} is a wheel for another machine`)
    await using zip = await ZipReader.open(path)
    const sourceOf = (member: ZipMember): Source => ({ ...member, read: () => zip.read(member) })
    const libraries = zip.members.filter(
      ({ name }) => /(^|\/)lib\/[^/]+$/.test(name) && isNvidiaLibrary(basename(name)),
    )
    if (libraries.length === 0)
      throw new OtherWheelError(
        `${path} holds none of NVIDIA's libraries that inferd uses; give it a wheel for CUDA 13 on Linux`,
      )
    const kept = await keep(libraries.map(sourceOf), path, options)
    const license = zip.members.find(({ name }) => /\.dist-info\/(licenses\/)?LICEN[CS]E(\.txt)?$/i.test(name))
    if (license !== undefined && license.bytes <= largestLicenseBytes) {
      const packageName = basename(path).split('-')[0] ?? 'nvidia'
      await keepLicense(sourceOf(license), packageName, options)
    }
    return kept
  } catch (error) {
    throw error instanceof ZipError ? new KeepError(`${path} ${error.message}`) : error
  }
}

/** Copies the libraries that lie in a folder, or in its `lib64` and `lib`, and those of wheels in it. Returns their names. Throws as `keepWheel`. */
export async function keepFolder(folder: string, options: KeepOptions): Promise<string[]> {
  const kept: string[] = []
  await requireReadable(folder)
  const found = new Map<string, string>()
  for (const place of [folder, join(folder, 'lib64'), join(folder, 'lib')])
    for (const name of await readdir(place).catch(() => [])) {
      const path = join(place, name)
      if (isNvidiaLibrary(name) && !found.has(name) && readSoname(path) === name) found.set(name, path)
      if (place === folder && name.startsWith('nvidia_') && name.endsWith('.whl'))
        kept.push(...(await keepWheelOfFolder(path, options)))
    }
  if (found.size === 0 && kept.length === 0)
    throw new KeepError(`${folder} holds neither NVIDIA's wheels nor its libraries for CUDA 13 on this machine`)
  const sources = [...found].map(async ([name, path]) => {
    const { size } = await stat(path)
    return { name, bytes: size, read: () => createReadStream(path, { highWaterMark: 1024 * 1024 }) }
  })
  return [...kept, ...(found.size === 0 ? [] : await keep(await Promise.all(sources), folder, options))]
}

/** Passes by a wheel that is not for this machine, or holds nothing that is wanted. */
async function keepWheelOfFolder(path: string, options: KeepOptions): Promise<string[]> {
  try {
    return await keepWheel(path, options)
  } catch (error) {
    if (error instanceof OtherWheelError) return []
    throw error
  }
}

/** Reads the platform at the end of a wheel's name, such as `manylinux_2_27_aarch64`. A name without one says nothing. */
function isForOther(fileName: string): boolean {
  const [, platform] = /-([^-]+)\.whl$/.exec(fileName) ?? []
  if (platform === undefined || !/^(manylinux|musllinux|linux|win|macosx)/.test(platform)) return false
  return !platform.split('.').some((each) => /linux/.test(each) && each.endsWith(`_${wheelArchitecture()}`))
}

async function requireReadable(folder: string): Promise<void> {
  try {
    await readdir(folder)
  } catch (error) {
    throw new KeepError(`${folder} cannot be read (${Object(error).code})`)
  }
}

async function keep(sources: readonly Source[], from: string, options: KeepOptions): Promise<string[]> {
  const { dataDir, disk = realDisk } = options
  const folder = ownLibraryFolder(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const written: { readonly name: string; readonly temporary: string }[] = []
  try {
    for (const source of sources) {
      const name = basename(source.name)
      if (written.some((each) => each.name === name)) throw new KeepError(`${from} holds ${name} twice`)
      if (source.bytes > largestLibraryBytes)
        throw new KeepError(`${name} of ${from} is larger than any library of NVIDIA's`)
      const temporary = join(folder, `.${name}.${process.pid}.tmp`)
      written.push({ name, temporary })
      await write(source, temporary, options)
      const soname = readSoname(temporary)
      if (soname !== name)
        throw new KeepError(
          `${name} of ${from} is no library of that name for this machine${soname === undefined ? '' : `: it is ${soname}`}`,
        )
    }
    for (const { name, temporary } of written) await renameDurably(temporary, join(folder, name), disk)
    return written.map(({ name }) => name)
  } finally {
    for (const { temporary } of written) await rm(temporary, { force: true })
  }
}

async function keepLicense(source: Source, packageName: string, options: KeepOptions): Promise<void> {
  const folder = licenseFolder(options.dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${packageName}.txt`)
  const temporary = join(folder, `.${packageName}.${process.pid}.tmp`)
  await write(source, temporary, options)
  await renameDurably(temporary, path, options.disk)
}

async function write(source: Source, path: string, { signal, onBytes, disk = realDisk }: KeepOptions): Promise<void> {
  try {
    await disk.remove(path)
    const file = await disk.open(path)
    try {
      let at = 0
      for await (const piece of source.read()) {
        signal.throwIfAborted()
        await file.write(piece, at)
        at += piece.length
        onBytes?.(piece.length)
      }
      await file.flush()
    } finally {
      await file.close()
    }
  } catch (error) {
    throw await asDiskError(error, path, undefined)
  }
}
