/** Names in archives, checked for use below a folder. Pure. */
import { FileError } from '../../catalog/stat-file.ts'
import { fileNameProblem } from '../../core/file-name.ts'

/**
 * Returns the parts of a member's name below the target folder, without `.` and double separators; empty for that
 * folder itself. Undefined for a hidden file, which no model needs. Throws FileError for a name that leads out of the
 * folder or that some file systems cannot hold.
 */
export function segmentsOf(name: string): string[] | undefined {
  const segments = name.split('/').filter((segment) => segment !== '' && segment !== '.')
  const refuse = (why: string) => new FileError(`holds the name ${JSON.stringify(name.slice(0, 100))}, which ${why}`)
  if (name.startsWith('/')) throw refuse('is absolute')
  if (segments.includes('..')) throw refuse('leads out of its folder')
  const isHidden = segments.some((segment) => segment.startsWith('.'))
  const problem = segments.length === 0 ? undefined : fileNameProblem(segments.map(withoutDots).join('/'))
  if (problem !== undefined) throw refuse(problem)
  return isHidden ? undefined : segments
}

/** Returns the segment with a visible name: skipped hidden files must be well-formed too. */
function withoutDots(segment: string): string {
  return segment.replace(/^\.+/, '_')
}

/** Names used so far. No two may mean the same file on any file system. */
export class TakenNames {
  readonly #taken = new Map<string, { readonly kind: 'file' | 'folder'; readonly path: string }>()

  /** Takes a name and the folders above it. A folder may occur again in the same spelling. Throws FileError. */
  take(segments: readonly string[], kind: 'file' | 'folder'): void {
    segments.forEach((_, index) => {
      const isLast = index === segments.length - 1
      this.#takeOne(segments.slice(0, index + 1).join('/'), isLast ? kind : 'folder')
    })
  }

  #takeOne(path: string, kind: 'file' | 'folder'): void {
    const key = path.toLowerCase()
    const taken = this.#taken.get(key)
    const isSameFolder = taken?.kind === 'folder' && kind === 'folder' && taken.path === path
    if (taken === undefined) this.#taken.set(key, { kind, path })
    else if (taken.path === path && !isSameFolder) throw new FileError(`holds ${JSON.stringify(path)} twice`)
    else if (!isSameFolder) {
      throw new FileError(
        `holds ${JSON.stringify(taken.path)} and ${JSON.stringify(path)}, which some disks take for one`,
      )
    }
  }
}
