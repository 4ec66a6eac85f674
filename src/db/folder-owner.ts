import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const { R_OK, W_OK, X_OK } = constants

/** Files that a server must be able to open. */
const ownFiles = ['inferd.db', 'inferd.db-wal', 'inferd.db-shm', 'server.lock']

/**
 * Throws an error that names the owner and the remedy if this process cannot or must not work in an existing data
 * folder: files that root makes in another user's folder would keep that user's server from starting. `uid`: this
 * process's user.
 */
export function checkFolderOwner(path: string, uid: number | undefined = process.getuid?.()): void {
  const folder = statOf(path)
  if (folder === undefined) return
  const owner = userName(folder.uid)
  if (uid === 0 && folder.uid !== 0) {
    throw new Error(
      `${path} belongs to ${owner}, whose server could not open files that root makes there; run it as that user: ${asUser(owner)}`,
    )
  }
  checkFolderIsOpen(path)
  const closed = ownFiles.map((name) => join(path, name)).find((file) => isRefused(file, R_OK | W_OK))
  const closedTo = closed === undefined ? undefined : statOf(closed)
  if (closedTo !== undefined) {
    throw new Error(
      `${closed} belongs to ${userName(closedTo.uid)}; give the folder back to its user, as root: chown -R ${owner} ${path}`,
    )
  }
}

/** Throws an error that names the owner and the remedy if this process cannot read an existing data folder. */
export function checkFolderIsOpen(path: string): void {
  const folder = statOf(path)
  if (folder === undefined || !isRefused(path, R_OK | W_OK | X_OK)) return
  const owner = userName(folder.uid)
  const remedy = folder.uid === process.getuid?.() ? `chmod 700 ${path}` : `run it as that user: ${asUser(owner)}`
  throw new Error(`${path} belongs to ${owner} and is closed to this user; ${remedy}`)
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // in a closed folder: opening the file will fail with the reason
  }
}

function isRefused(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return false
  } catch (error) {
    // A missing file can be created, and a read-only disk has nothing to do with owners.
    return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')
  }
}

function asUser(name: string): string {
  return `'sudo -u ${/^\d+$/.test(name) ? `"#${name}"` : name} inferd …'`
}

/** Returns the name of a user of this machine, or the user's number if there is no name. */
export function userName(uid: number): string {
  try {
    const users = readFileSync('/etc/passwd', 'utf8').split('\n')
    const found = users.map((line) => line.split(':')).find(([, , number]) => number === String(uid))
    return found?.[0] ?? String(uid)
  } catch {
    return String(uid)
  }
}
