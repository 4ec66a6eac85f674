import { errorText } from '../core/error-text.ts'
import { CommandError, type ProcessIo } from './io.ts'

interface MadeSecret {
  /** Output that shows the secret. */
  readonly text: string
  /** Name of the secret in messages, such as `key key_1` or `3 vouchers`. */
  readonly name: string
  /** Makes the secret invalid. */
  readonly revoke: () => Promise<unknown>
  /** Command that revokes the secret, for messages. */
  readonly revokeCommand: string
}

/**
 * Prints a secret that is shown only once. If the output does not accept it, revokes it, so that no unseen secret stays
 * valid, and throws CommandError.
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
