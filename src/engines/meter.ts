import type { Usage } from '../core/usage.ts'
import type { PreparedPrompt, TokenGrant } from './protocol.ts'

/** Decides how much of an answer may be computed, and hears what was when nobody wants it any more. */
export interface EngineMeter {
  /**
   * The prompt's length is known, nothing is computed yet. Throwing refuses the request: `chat` throws the same, the
   * engine drops the request, and nothing else is called.
   */
  begin(prompt: PreparedPrompt): Promise<TokenGrant>
  /** An answer nears the end of a grant that was not final. Throwing fails the request likewise. */
  extend(): Promise<TokenGrant>
  /**
   * The engine has stopped working on a request that was given up (client gone, `return` called, or `extend` threw):
   * what it had computed. At most once, and only where `begin` has resolved; before the generator ends, and never while
   * `begin` or `extend` is pending. Not after a normal end, a failure that the engine reported, or its death.
   */
  cancelled(usage: Usage): void
}

/** Grants everything: for benchmarks and tests. */
export const unlimited: EngineMeter = {
  begin: async ({ outputTokens }) => ({ outputTokens, isFinal: true }),
  extend: () => Promise.reject(new Error('a final grant is not extended: this is a bug')),
  cancelled: () => undefined,
}
