import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../core/error-text.ts'

const ownerOnly = 0o700
const openToOthers = 0o077

/** Creates an empty file that only its owner can read, unless it exists. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

/**
 * Creates the data folder, for its owner only, unless it exists. Closes an empty folder of this user that is open to
 * others. Throws for any other open folder, whose content others may have read or changed, with an error that says what
 * to do.
 */
export function createDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: ownerOnly })
  } catch (error) {
    const reason = errorText(error)
    throw new Error(`the data folder ${path} cannot be made (${reason}); choose another with --data`)
  }
  const { mode, uid } = statSync(path)
  if ((mode & openToOthers) === 0) return
  const isOurs = uid === process.geteuid?.()
  if (isOurs && readdirSync(path).length === 0) {
    chmodSync(path, ownerOnly)
    return
  }
  const problem = `the data folder ${path} is open to other users (mode ${(mode & 0o777).toString(8)})`
  // Closing another user's folder, such as a volume mounted for a group, would close it to this process.
  const remedy = isOurs ? `close it: chmod 700 ${path}` : `use a folder in it: --data ${join(path, 'inferd')}`
  throw new Error(`${problem}; ${remedy}`)
}
