import { fileNameProblem } from '../core/file-name.ts'
import type { ModelFile } from '../core/model.ts'

const archiveEnding = /\.(tar|tar\.gz|tgz|tar\.bz2|tbz2)$/i

/**
 * Returns the name of a file whose manifest gives none: the last part of its address, without the ending of an archive.
 * A file with its own path may have any name; its role replaces an invalid one.
 */
export function defaultName({ role, url, path, unpack }: Omit<ModelFile, 'name'>): string {
  const last = lastPart(url ?? path ?? '')
  if (path !== undefined && fileNameProblem(last) !== undefined) return role
  return unpack === true ? last.replace(archiveEnding, '') : last
}

/**
 * Returns whether a path in a model's folder is the named file, or lies in the folder to which the named archive was
 * unpacked.
 */
export function isOfFile(path: string, { name, unpack }: Pick<ModelFile, 'name' | 'unpack'>): boolean {
  return path === name || (unpack === true && path.startsWith(`${name}/`))
}

function lastPart(address: string): string {
  // The hub's addresses are not percent-encoded.
  const path = /^https?:/.test(address) ? decoded(URL.parse(address)?.pathname ?? '') : address
  return path.split('/').at(-1) ?? ''
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path // an address may hold a lone %
  }
}

/**
 * Returns two names that cannot be in one folder: equal when ignoring case, as some file systems do, or one a folder of
 * the other. Undefined if there are none.
 */
export function namesThatClash(names: readonly string[]): readonly [string, string] | undefined {
  const key = (name: string) => `${name.toLowerCase()}/`
  for (const [index, first] of names.entries()) {
    const second = names
      .slice(index + 1)
      .find((other) => key(first).startsWith(key(other)) || key(other).startsWith(key(first)))
    if (second !== undefined) return [first, second]
  }
  return undefined
}
