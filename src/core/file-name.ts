/** Names of files below a model's folder, in catalogs, hubs, archives, bundles and locks. */

const segmentPattern = /^[A-Za-z0-9_!][A-Za-z0-9 !._+=@,~()[\]-]*$/
const segmentLimit = 200
const depthLimit = 8

/** Names that the store uses for its own files. */
const ownNames = /(^|\/)lock\.json$|\.(tmp|part|part\.json|pull)$/i

/**
 * Returns the problem that a path below a model's folder has, as the end of "the name "…" …"; undefined if the path can
 * be joined to the folder. Allows only plain characters, so that a name means the same on every file system.
 */
export function fileNameProblem(name: string): string | undefined {
  const segments = name.split('/')
  if (segments.length > depthLimit) return `has more than ${depthLimit} folders`
  if (segments.some((segment) => segment.length > segmentLimit)) return `is longer than ${segmentLimit} characters`
  if (!segments.every((segment) => segmentPattern.test(segment) && !/[ .]$/.test(segment))) {
    return 'is no relative path of letters, digits and plain signs'
  }
  return ownNames.test(name) ? 'is one that inferd uses itself' : undefined
}
