import { errorText } from '../core/error-text.ts'
import { CommandError, type ProcessIo } from './io.ts'

interface MadeSecret {
  /** Output that shows it. */
  readonly text: string
  /** `key key_1`, `3 vouchers`: for messages. */
  readonly name: string
  /** Makes it worthless. */
  readonly revoke: () => Promise<unknown>
  /** The command that does the same. */
  readonly revokeCommand: string
}

/**
 * Prints a secret that is shown only once. If the output does not take it, it is revoked, so that no unseen secret is in
 * force, and this throws CommandError.
 */
export async function printSecret(io: ProcessIo, { text, name, revoke, revokeCommand }: MadeSecret): Promise<void> {
  try {
    await io.deliver(text)
  } catch (error) {
    const problem = `${name} could not be printed (${errorText(error)})`
    await revoke().catch((cause: unknown) => {
      throw new CommandError(
        `${problem} and could not be revoked (${errorText(cause)}); revoke it later: '${revokeCommand}'`,
      )
    })
    throw new CommandError(`${problem} and was revoked; repeat the command with another output`)
  }
}
