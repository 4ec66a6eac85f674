import { status } from '../api/session.ts'

/** Returns the command line that reaches this server if the browser is on its machine, else the bare command. */
export function ownCommand(words: string): string {
  const { program, flags } = status.value?.commands ?? { program: 'inferd', flags: '' }
  return `${program} ${words}${flags}`
}
