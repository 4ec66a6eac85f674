import { embeddedFiles } from '../../engines/runtime/embedded-files.ts'

/** Returns the path of this program's executable; undefined in a checkout, where the program is not a single file. */
export function carriedExecutable(): string | undefined {
  return embeddedFiles() === undefined ? undefined : process.execPath
}
