import { copyFile, link, mkdir, mkdtemp, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hourMs } from '../../core/durations.ts'
import { errorText } from '../../core/error-text.ts'
import type { EmbeddedFile, EmbeddedFiles } from './embedded-files.ts'
import { isAsPacked } from './unpacked-file.ts'

const temporaryPrefix = '.unpacking-'
/**
 * Names of version folders and temporary ones. Others belong to the user: the data folder may already have had a
 * folder of this name.
 */
const ownName = /^(?:[0-9a-f]{16}|\.unpacking-\w{6})$/
/** Age of an abandoned temporary folder. Unpacking never takes this long, so its process has died. */
const abandonedAfterMs = hourMs

/**
 * Fills `<parent>/<content hash>` with all embedded files and returns the path. Several processes may do so at once:
 * each writes a separate folder, and the first to rename its own wins. Removes the folders of other versions
 * afterwards; a running older server that still needs its folder unpacks it again. Throws an error with the folder and
 * the reason if the files cannot be written.
 */
export async function unpackRuntime(embedded: EmbeddedFiles, parent: string): Promise<string> {
  const folder = join(parent, embedded.contentHash)
  if (await isComplete(folder, embedded.files)) return folder
  try {
    await mkdir(parent, { recursive: true, mode: 0o700 })
    await requireSpace(parent, embedded.files)
    const temporary = await mkdtemp(join(parent, temporaryPrefix))
    try {
      await writeFiles(temporary, embedded.files)
      await moveIntoPlace(temporary, folder, embedded.files)
    } finally {
      await rm(temporary, { recursive: true, force: true })
    }
    await removeOthers(parent, embedded.contentHash)
  } catch (error) {
    const reason = errorText(error)
    throw new Error(`the native libraries cannot be unpacked to ${parent}: ${reason}`)
  }
  return folder
}

/** Checks the files one after the other, so that the server can answer requests meanwhile. */
async function isComplete(folder: string, files: readonly EmbeddedFile[]): Promise<boolean> {
  for (const file of files) if (!(await isAsPacked(join(folder, file.path), file))) return false
  return true
}

async function requireSpace(parent: string, files: readonly EmbeddedFile[]): Promise<void> {
  const sizes = new Map(files.map(({ source, sizeBytes }) => [source, sizeBytes]))
  const neededBytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const { bavail, bsize } = await statfs(parent)
  const freeBytes = bavail * bsize
  if (freeBytes >= neededBytes) return
  throw new Error(`${inMegabytes(neededBytes)} MB are needed and ${inMegabytes(freeBytes)} MB are free; make room`)
}

function inMegabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6)
}

/** Writes the files one after the other, so that the server can answer requests meanwhile. */
async function writeFiles(folder: string, files: readonly EmbeddedFile[]): Promise<void> {
  const written = new Map<string, string>()
  for (const file of files) {
    const target = join(folder, file.path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const twin = written.get(file.source)
    if (twin === undefined) await writeFile(target, file)
    else await link(twin, target).catch(() => copyFile(twin, target)) // some file systems have no hard links
    written.set(file.source, target)
  }
}

/** Streams a file to the disk, since the largest one alone would add its size to the server's memory. */
async function writeFile(target: string, { source, sizeBytes, sha256 }: EmbeddedFile): Promise<void> {
  const hasher = new Bun.CryptoHasher('sha256')
  const output = await open(target, 'wx', 0o600)
  try {
    // `as never`: the browser types, with which the pages' build checks this file, lack zstd.
    const content = Bun.file(source)
      .stream()
      .pipeThrough(new DecompressionStream('zstd' as never))
    for await (const bytes of content) {
      hasher.update(bytes)
      await output.writeFile(bytes)
    }
    const { size } = await output.stat()
    if (size !== sizeBytes) throw new Error(`${target} has ${size} bytes instead of ${sizeBytes}`)
    if (hasher.digest('hex') !== sha256) throw new Error(`${target} has other bytes than were packed`)
  } finally {
    await output.close()
  }
}

async function moveIntoPlace(temporary: string, folder: string, files: readonly EmbeddedFile[]): Promise<void> {
  try {
    await rename(temporary, folder)
  } catch (error) {
    // Another process was faster, or a damaged folder is in the way.
    if (await isComplete(folder, files)) return
    if (!(await stat(folder).catch(() => undefined))) throw error // the rename failed for another reason
    await rm(folder, { recursive: true, force: true })
    await rename(temporary, folder)
  }
}

async function removeOthers(parent: string, contentHash: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (name === contentHash || !ownName.test(name)) continue
    const path = join(parent, name)
    const found = await stat(path).catch(() => undefined) // another process may just have renamed it
    if (found === undefined) continue
    if (name.startsWith(temporaryPrefix) && Date.now() - found.mtimeMs < abandonedAfterMs) continue
    await rm(path, { recursive: true, force: true })
  }
}
