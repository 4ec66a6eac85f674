import { embeddedFiles } from '../../engines/embedded-files.ts'

/** The file of this program; undefined in a checkout, where it is no single file. */
export function carriedExecutable(): string | undefined {
  return embeddedFiles() === undefined ? undefined : process.execPath
}
