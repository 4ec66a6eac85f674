/** Names of files below a model's folder, in catalogs, hubs, archives, bundles and locks. */

const segmentPattern = /^[A-Za-z0-9_!][A-Za-z0-9 !._+=@,~()[\]-]*$/
const segmentLimit = 200
const depthLimit = 8

/** Names that the store itself uses beside the files. */
const ownNames = /(^|\/)lock\.json$|\.(tmp|part|part\.json|pull)$/i

/**
 * Returns the problem with a path below a model's folder, as "the name "…" <problem>"; undefined if it can be joined to
 * the folder. Only plain characters are allowed, so that a name means the same on every file system.
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
