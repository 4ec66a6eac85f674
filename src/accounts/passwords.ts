/** Passwords as argon2id hashes. */
import { ApiError } from '../core/errors.ts'
import { withoutUnseen } from '../core/printable.ts'

const minimumLength = 8
const maximumLength = 200

/** Memory in KiB and passes for argon2id, from OWASP's password storage cheat sheet. */
const parameters = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Hashes computed at once. Each takes its memory, and a core for some 20 ms. */
const maximumRunning = 2

/** Passwords that attackers guess first. */
const commonPasswords = new Set([
  ...['password', 'password1', 'password123', 'passw0rd', '12345678', '123456789', '1234567890', '11111111'],
  ...['qwertyui', 'qwertyuiop', 'qwerty123', 'iloveyou', 'sunshine', 'football', 'baseball', 'princess', 'letmein1'],
  ...['welcome1', 'administrator', 'changeme', 'trustno1', 'superman', 'computer', 'starwars', 'abcd1234', '00000000'],
])

/** Returns the end of "password must …"; undefined if the password is accepted. */
export function passwordProblem(password: string, address: string): string | undefined {
  // Counts characters as people see them, unless the text is far too long anyway.
  const length = password.length > 2 * maximumLength ? Number.POSITIVE_INFINITY : [...password].length
  if (length < minimumLength || length > maximumLength) {
    return `have ${minimumLength} to ${maximumLength} characters`
  }
  if ([...withoutUnseen(password)].length < minimumLength) {
    return `have ${minimumLength} characters that are seen: blanks at its ends and invisible characters do not count`
  }
  const word = password.toLowerCase()
  const [local = ''] = address.toLowerCase().split('@')
  const isKnown = commonPasswords.has(word) || word === address.toLowerCase() || word === local
  return isKnown ? 'not be one that everybody tries first' : undefined
}

/** Hashes that may wait. More of them mean an attack. */
const maximumWaiting = 200

let running = 0
const waiting: (() => void)[] = []

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (waiting.length >= maximumWaiting) {
    throw new ApiError('unavailable', 'Too many passwords are being checked. Try again in a few seconds.', {
      code: 'overloaded',
      retryAfterSeconds: 5,
    })
  }
  if (running >= maximumRunning) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    // If another hash waits, it takes this place.
    if (next === undefined) running--
    else next()
  }
}

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => Bun.password.hash(password, parameters))
}

/** Hash of an unknown password, with the parameters above. */
const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$CuzpDeQtefrODp9daI7fpzOVbnGExjS5ehUeRx7gMfc$UsorHlqg3E715wChFakyWtugS/xVYOe6pEiBvhvd3aI'

/**
 * Returns whether the password has this hash. Without a hash it returns false after the same time, so that the time does not show
 * whether there is an account or a password.
 */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const expected = hash ?? dummyHash
  const isRight = await inTurn(() => Bun.password.verify(password, expected))
  return isRight && hash !== undefined
}
