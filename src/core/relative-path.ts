/** Paths below a folder that come from outside: manifests, hubs, archives, bundles. */

const maximumDepth = 16
const maximumPartBytes = 255
const maximumLength = 1000

/**
 * Why `path` is no path of a file below a folder, as the end of "… must be …"; undefined when it is one. Parts are joined by `/`;
 * none can lead out of the folder, and none is refused by a file system.
 */
export function relativePathProblem(path: string): string | undefined {
  const parts = path.split('/')
  if (path === '' || path.length > maximumLength) return `a path of 1 to ${maximumLength} characters`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\\\u0000-\u001f\u007f-\u009f]/.test(path) || !path.isWellFormed())
    return 'a path without backslashes and control characters'
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return 'a relative path without empty parts, "." and ".."'
  if (parts.length > maximumDepth) return `a path of at most ${maximumDepth} parts`
  if (parts.some((part) => Buffer.byteLength(part) > maximumPartBytes))
    return `a path whose parts have at most ${maximumPartBytes} bytes`
  return undefined
}
