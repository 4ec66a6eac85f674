import { userInfo } from 'node:os'
import type { Io } from './io.ts'

/** Who runs this command, for the audit log: under sudo the user who called it. */
export function actorOf({ environment }: Io): string {
  return `cli:${[environment.SUDO_USER, systemUser()].find((name) => name !== undefined && /^[^\s:]{1,64}$/.test(name)) ?? 'unknown'}`
}

function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.()}` // a user without a line in /etc/passwd, as in containers
  }
}
