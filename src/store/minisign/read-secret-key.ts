import { constants, readFileSync, statSync } from 'node:fs'
import { isEncrypted, parseSecretKey, type SecretKey } from './secret-key.ts'
import { MinisignError } from './text.ts'

/**
 * Reads the secret key in a file; calls `askPassword` if it is encrypted. An unencrypted one must not be accessible to
 * others. Throws MinisignError.
 */
export async function readSecretKey(path: string, askPassword: () => Promise<string | undefined>): Promise<SecretKey> {
  const file = read(path)
  if (isEncrypted(file)) return await parseSecretKey(file, await askPassword())
  const { S_IRWXG, S_IRWXO } = constants
  if ((statSync(path).mode & (S_IRWXG | S_IRWXO)) !== 0) {
    throw new MinisignError(`is not encrypted and open to other users; close it: chmod 600 ${path}`)
  }
  return await parseSecretKey(file, undefined)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new MinisignError(`cannot be read (${error instanceof Error && 'code' in error ? error.code : error})`)
  }
}
