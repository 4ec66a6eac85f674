/** Copies NVIDIA's libraries into the data folder, from wheels and from folders. */
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { sizeText } from '../../core/quantities.ts'
import { ZipError, type ZipMember, ZipReader } from '../../store/archive/zip-reader.ts'
import { type Disk, realDisk } from '../../store/disk.ts'
import { asDiskError, DiskFullError } from '../../store/download/disk-error.ts'
import { renameDurably } from '../../store/durable.ts'
import { isNvidiaLibrary } from '../libraries.ts'
import { licenseFolder, ownLibraryFolder } from '../own-folder.ts'
import { readSoname } from '../shared-library.ts'
import { wheelArchitecture } from './wheels.ts'

/** Error of a source without any wanted library. The message is a whole sentence. */
export class KeepError extends Error {
  override name: string = 'KeepError'
}

/** Error of a wheel of another package or for another machine, which a folder of wheels may hold. */
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

/** Largest size of a file. cuBLASLt has 542 MB today. */
const largestLibraryBytes = 4 * 1024 ** 3
const largestLicenseBytes = 1024 * 1024

/**
 * Unpacks a wheel's libraries and its licence, and no other members. No file gets its name before all are complete and
 * flushed. Returns the libraries' names. Throws KeepError, DiskFullError, and the signal's reason.
 */
export async function keepWheel(path: string, options: KeepOptions): Promise<string[]> {
  try {
    if (!(await stat(path)).isFile()) throw new KeepError(`${path} is neither a folder nor a wheel`)
    if (isForOther(basename(path))) throw new OtherWheelError(`${path} is a wheel for another machine`)
    await using zip = await ZipReader.open(path)
    const sourceOf = (member: ZipMember): Source => ({ ...member, read: () => zip.read(member) })
    const libraries = librariesOf(zip)
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

/**
 * Copies the libraries of a folder, or of its `lib64` and `lib`, and those of wheels in it. Returns their names. Throws
 * as `keepWheel` does.
 */
export async function keepFolder(folder: string, options: KeepOptions): Promise<string[]> {
  const kept: string[] = []
  await requireReadable(folder)
  const { found, wheels } = await listFolder(folder)
  for (const wheel of wheels) kept.push(...(await keepWheelOfFolder(wheel, options)))
  if (found.size === 0 && kept.length === 0)
    throw new KeepError(`${folder} holds neither NVIDIA's wheels nor its libraries for CUDA 13 on this machine`)
  const sources = [...found].map(async ([name, path]) => {
    const { size } = await stat(path)
    return { name, bytes: size, read: () => createReadStream(path, { highWaterMark: 1024 * 1024 }) }
  })
  return [...kept, ...(found.size === 0 ? [] : await keep(await Promise.all(sources), folder, options))]
}

/**
 * Throws DiskFullError if the libraries of these folders and wheels do not all fit on the disk. Unreadable ones count
 * nothing, and keeping them gives the reason.
 */
export async function requireRoom(
  places: readonly string[],
  { dataDir, disk = realDisk }: Omit<KeepOptions, 'signal'>,
) {
  const folder = ownLibraryFolder(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const sizes = await Promise.all(places.map((place) => neededBytes(place).catch(() => 0)))
  const needed = sizes.reduce((sum, bytes) => sum + bytes, 0)
  const { freeBytes } = await disk.room(folder)
  if (needed <= freeBytes) return
  const [needs, free, lacks] = [needed, freeBytes, needed - freeBytes].map(sizeText)
  throw new DiskFullError(
    `the libraries take ${needs}, and the disk of ${folder} has ${free} free: free ${lacks} more, or choose another data folder by --data`,
  )
}

/**
 * Returns the bytes of the libraries in a folder or a wheel. Existing libraries do not reduce the number, since they
 * stay until the new ones are complete.
 */
async function neededBytes(place: string): Promise<number> {
  if (!(await stat(place)).isDirectory()) {
    if (isForOther(basename(place))) return 0
    await using zip = await ZipReader.open(place)
    return librariesOf(zip).reduce((sum, { bytes }) => sum + bytes, 0)
  }
  const { found, wheels } = await listFolder(place)
  const files = [...found.values()].map(async (path) => (await stat(path)).size)
  const sizes = await Promise.all([...files, ...wheels.map((wheel) => neededBytes(wheel).catch(() => 0))])
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

function librariesOf(zip: ZipReader): readonly ZipMember[] {
  return zip.members.filter(({ name }) => /(^|\/)lib\/[^/]+$/.test(name) && isNvidiaLibrary(basename(name)))
}

/** Returns a folder's libraries, the first of each name, and NVIDIA's wheels in it. */
async function listFolder(folder: string) {
  const found = new Map<string, string>()
  const wheels: string[] = []
  for (const place of [folder, join(folder, 'lib64'), join(folder, 'lib')])
    for (const name of await readdir(place).catch(() => [])) {
      const path = join(place, name)
      if (isNvidiaLibrary(name) && !found.has(name) && readSoname(path) === name) found.set(name, path)
      if (place === folder && name.startsWith('nvidia_') && name.endsWith('.whl')) wheels.push(path)
    }
  return { found, wheels }
}

/** Keeps the libraries of a wheel. Skips wheels for other machines, and those without wanted libraries. */
async function keepWheelOfFolder(path: string, options: KeepOptions): Promise<string[]> {
  try {
    return await keepWheel(path, options)
  } catch (error) {
    if (error instanceof OtherWheelError) return []
    throw error
  }
}

/**
 * Returns whether the platform at the end of a wheel's name, such as `manylinux_2_27_aarch64`, is another one. False
 * without a platform.
 */
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
    await using file = await disk.open(path)
    let at = 0
    for await (const piece of source.read()) {
      signal.throwIfAborted()
      await file.write(piece, at)
      at += piece.length
      onBytes?.(piece.length)
    }
    await file.flush()
  } catch (error) {
    throw await asDiskError(error, path, undefined)
  }
}
