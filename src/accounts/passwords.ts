/** Passwords as argon2id hashes. */
import { ApiError } from '../core/errors.ts'

export const shortestPassword = 8
export const longestPassword = 200

/** Memory in KiB and passes that OWASP's password storage cheat sheet names for argon2id. */
const parameters = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** At once: each takes its memory and a core for some 20 ms. */
const mostAtOnce = 2

/** Guessed first by everybody. */
const commonPasswords = new Set([
  ...['password', 'password1', 'password123', 'passw0rd', '12345678', '123456789', '1234567890', '11111111'],
  ...['qwertyui', 'qwertyuiop', 'qwerty123', 'iloveyou', 'sunshine', 'football', 'baseball', 'princess', 'letmein1'],
  ...['welcome1', 'administrator', 'changeme', 'trustno1', 'superman', 'computer', 'starwars', 'abcd1234', '00000000'],
])

/** Completes "password must …"; undefined for one that will do. */
export function passwordProblem(password: string, address: string): string | undefined {
  // Counted in characters as people see them written, once it is known to be no novel.
  const length = password.length > 2 * longestPassword ? Number.POSITIVE_INFINITY : [...password].length
  if (length < shortestPassword || length > longestPassword) {
    return `have ${shortestPassword} to ${longestPassword} characters`
  }
  const word = password.toLowerCase()
  const [local = ''] = address.toLowerCase().split('@')
  const isKnown = commonPasswords.has(word) || word === address.toLowerCase() || word === local
  return isKnown ? 'not be one that everybody tries first' : undefined
}

/** More than that waiting means that somebody is trying to keep us busy. */
const mostWaiting = 200

let running = 0
const waiting: (() => void)[] = []

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (waiting.length >= mostWaiting) {
    throw new ApiError('unavailable', 'Too many passwords are being checked. Try again in a few seconds.', {
      code: 'overloaded',
      retryAfterSeconds: 5,
    })
  }
  if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    // Hands its place on.
    if (next === undefined) running--
    else next()
  }
}

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => Bun.password.hash(password, parameters))
}

/** Of a password that nobody has, with the parameters above. */
const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$CuzpDeQtefrODp9daI7fpzOVbnGExjS5ehUeRx7gMfc$UsorHlqg3E715wChFakyWtugS/xVYOe6pEiBvhvd3aI'

/**
 * Whether the password is the one with this hash. Without a hash it is not, and takes just as long: the time must not tell
 * who has an account, or a password.
 */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const expected = hash ?? dummyHash
  const isRight = await inTurn(() => Bun.password.verify(password, expected))
  return isRight && hash !== undefined
}
