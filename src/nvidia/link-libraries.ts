/** Links in one folder by which the loader finds NVIDIA's libraries in any place. */

import { lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { namesIn } from '../core/names-in.ts'
import type { FoundLibrary } from './find-libraries.ts'
import { isNvidiaLibrary } from './libraries.ts'
import { loaderFolder } from './own-folder.ts'

/**
 * Makes the loader's folder hold one link per found library, and no other. Libraries that libnvrtc opens by a version
 * are linked beside it. Right links stay untouched, since an engine may start meanwhile.
 */
export function linkLibraries(dataDir: string, found: readonly FoundLibrary[]): void {
  const folder = loaderFolder(dataDir)
  const wanted = new Map([...found, ...nvrtcBuiltins(found)].map(({ soname, path }) => [soname, path]))
  if (wanted.size > 0) mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of namesIn(folder))
    if (!wanted.has(name)) rmSync(join(folder, name), { recursive: true, force: true })
  for (const [name, target] of wanted) setLink(join(folder, name), target)
}

/** Returns the libraries that libnvrtc opens beside itself, by names with a version. */
export function nvrtcBuiltins(found: readonly FoundLibrary[]): FoundLibrary[] {
  const nvrtc = found.find(({ soname }) => soname === 'libnvrtc.so.13')
  if (nvrtc === undefined) return []
  const folder = dirname(nvrtc.path)
  return namesIn(folder)
    .filter((name) => name.startsWith('libnvrtc-builtins.so.') && isNvidiaLibrary(name))
    .map((name) => ({ ...nvrtc, soname: name, path: join(folder, name) }))
}

const besideLlama: readonly string[] = ['libcudart.so', 'libcublas.so', 'libcublasLt.so']

/** Puts links to cudart and cublas beside `libggml-cuda.so`, whose run path is its own folder. Removes broken links. */
export function linkBesideBackend(dataDir: string, backendFolder: string): void {
  const isOurs = (name: string) => besideLlama.some((stem) => name.startsWith(`${stem}.`))
  const source = loaderFolder(dataDir)
  const wanted = namesIn(source).filter(isOurs)
  const present = namesIn(backendFolder)
  if (present.length === 0) return // this program carries no such backend
  for (const name of present)
    if (
      isOurs(name) &&
      linkTarget(join(backendFolder, name))?.startsWith(`${source}/`) === true &&
      !wanted.includes(name)
    )
      rmSync(join(backendFolder, name), { force: true })
  for (const name of wanted) setLink(join(backendFolder, name), join(source, name))
}

/** Replaces a link atomically: other processes find the old or the new one. Leaves a plain file of that name. */
function setLink(path: string, target: string): void {
  const present = linkTarget(path)
  if (present === target) return
  if (present === undefined && lstatSync(path, { throwIfNoEntry: false }) !== undefined) return
  const temporary = `${path}.${process.pid}.tmp`
  rmSync(temporary, { force: true })
  symlinkSync(target, temporary)
  renameSync(temporary, path)
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
