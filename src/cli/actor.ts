import { userName } from '../db/folder-owner.ts'
import type { Io } from './io.ts'

/** Who runs this command, for the audit log: under sudo the user who called it. */
export function actorOf({ environment }: Io): string {
  const uid = process.getuid?.()
  const names = [environment.SUDO_USER, uid === undefined ? undefined : userName(uid)]
  return `cli:${names.find((name) => name !== undefined && /^[^\s:]{1,64}$/.test(name)) ?? 'unknown'}`
}
