import { CommandError, type Io } from './io.ts'

export interface MadeSecret {
  /** What shows it, for the output. */
  readonly text: string
  /** `key key_1`, `3 vouchers`: for messages. */
  readonly name: string
  /** Makes it worthless. */
  readonly revoke: () => Promise<unknown>
  /** The command that does the same. */
  readonly revokeCommand: string
}

/**
 * Prints what is shown this once. What the output does not take is revoked, so that nothing is in force that nobody has
 * seen; CommandError says so.
 */
export async function printSecret(io: Io, { text, name, revoke, revokeCommand }: MadeSecret): Promise<void> {
  try {
    await io.deliver(text)
  } catch (error) {
    const problem = `${name} could not be printed (${reasonOf(error)})`
    await revoke().catch((cause: unknown) => {
      throw new CommandError(`${problem} nor revoked (${reasonOf(cause)}); when it is possible: '${revokeCommand}'`)
    })
    throw new CommandError(`${problem}: revoked again; repeat the command with another output`)
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
