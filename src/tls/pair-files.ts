/** Certificate and key in files that somebody else renews. */
import { readFileSync } from 'node:fs'
import { errorText } from '../core/error-text.ts'
import { CertificateError, type CertificatePair, readPair } from './certificate-pair.ts'

export interface PairFiles {
  readonly certificatePath: string
  readonly keyPath: string
}

/** Reads a pair from its files. Throws CertificateError. */
export function readPairFiles({ certificatePath, keyPath }: PairFiles, nowMs: number): CertificatePair {
  const [certificate, key] = [readText(certificatePath), readText(keyPath)]
  return readPair({ certificate, key, certificateName: certificatePath, keyName: keyPath }, nowMs)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') throw new CertificateError(`there is no file ${path}; check tls-cert and tls-key`)
    if (code === 'EACCES' || code === 'EPERM')
      throw new CertificateError(`${path} may not be read; give inferd's user the right to (chown or setfacl)`)
    throw new CertificateError(`${path} cannot be read: ${errorText(error)}`)
  }
}
