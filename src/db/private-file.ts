import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'

const ownerOnly = 0o700
const openToOthers = 0o077

/** Makes an empty file that only its owner can read, unless there is one already. What grows in it stays private. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

/**
 * Makes the data folder, for its owner alone, unless it is there. One that others may look into or write to is closed
 * when nothing is in it yet (made by `mkdir` just now); otherwise this throws an error that says what to do, since others
 * may have read or changed what is in it.
 */
export function createDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: ownerOnly })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`the data folder ${path} can not be made (${reason}); choose another with --data`)
  }
  const { mode, uid } = statSync(path)
  if ((mode & openToOthers) === 0) return
  if (uid === process.geteuid?.() && readdirSync(path).length === 0) {
    chmodSync(path, ownerOnly)
    return
  }
  const shown = (mode & 0o777).toString(8)
  throw new Error(`the data folder ${path} is open to other users (mode ${shown}); close it: chmod 700 ${path}`)
}
