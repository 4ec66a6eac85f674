/** Page of an address. Its path is exact or ends in `/*`, which stands for an id. */
export interface FoundPage<Path extends string> {
  readonly path: Path
  /** Decoded text that the star stands for. Empty without a star. */
  readonly id: string
}

export function findPage<Path extends string>(paths: readonly Path[], pathname: string): FoundPage<Path> | undefined {
  const wanted = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  const exact = paths.find((path) => path === wanted)
  if (exact !== undefined) return { path: exact, id: '' }
  const below = paths.find((path) => path.endsWith('/*') && wanted.startsWith(path.slice(0, -1)))
  return below === undefined ? undefined : { path: below, id: decode(wanted.slice(below.length - 1)) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // An id with a stray percent sign is used as written.
  }
}
