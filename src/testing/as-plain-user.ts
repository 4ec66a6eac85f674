import { chownSync } from 'node:fs'

const nobody = 65_534

/**
 * What `work` does as a user whom permissions bind, who then owns `paths`. Root, whom nothing binds, becomes another user
 * for that time; everyone else is one already. `work` must not wait for anything: the whole process changes its user.
 */
export function asPlainUser<Result>(paths: readonly string[], work: () => Result): Result {
  if (process.geteuid?.() !== 0) return work()
  for (const path of paths) chownSync(path, nobody, nobody)
  process.seteuid?.(nobody)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}
