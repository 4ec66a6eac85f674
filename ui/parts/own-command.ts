import { status } from '../api/session.ts'

/** Returns a command as it is typed to reach this server, where this browser is on its machine; elsewhere the bare one. */
export function ownCommand(words: string): string {
  const { program, flags } = status.value?.commands ?? { program: 'inferd', flags: '' }
  return `${program} ${words}${flags}`
}
