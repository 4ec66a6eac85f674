import { embeddedFiles } from '../../engines/runtime/embedded-files.ts'

/** Returns the file of this program; undefined in a checkout, where it is not a single file. */
export function carriedExecutable(): string | undefined {
  return embeddedFiles() === undefined ? undefined : process.execPath
}
