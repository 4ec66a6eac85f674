import { closeSync, mkdirSync, openSync } from 'node:fs'

/** Makes an empty file that only its owner can read, unless there is one already. What grows in it stays private. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

/** Makes the data folder, for its owner alone, unless it is there. Throws an error that says what to do. */
export function createDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`the data folder ${path} can not be made (${reason}); choose another with --data`)
  }
}
