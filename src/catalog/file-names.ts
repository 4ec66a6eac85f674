import { fileNameProblem } from '../core/file-name.ts'
import type { ModelFile } from '../core/model.ts'

const archiveEnding = /\.(tar|tar\.gz|tgz|tar\.bz2|tbz2)$/i

/**
 * The name of a file whose manifest gives none: the last part of its address; of an archive, without the ending. Files that
 * lie elsewhere may be called anything: their role stands in for what cannot be a name.
 */
export function defaultName({ role, url, path, unpack }: Omit<ModelFile, 'name'>): string {
  const last = lastPart(url ?? path ?? '')
  if (path !== undefined && fileNameProblem(last) !== undefined) return role
  return unpack === true ? last.replace(archiveEnding, '') : last
}

/** Tells whether a file in a model's folder is the named one, or of the archive that was unpacked to that name. */
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
 * Two of the names that cannot stand in one folder: they are equal, also on file systems that ignore case, or one is a folder
 * of the other. Undefined when all can.
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
