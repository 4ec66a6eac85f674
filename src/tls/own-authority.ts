/** Certificates by an authority of this box alone, whose root certificate the clients must trust. */

import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { dayMs } from '../core/durations.ts'
import { readIfThere, writePrivateFile } from '../core/private-file.ts'
import { CertificateError, type CertificatePair, isFor, readPair } from './certificate-pair.ts'
import type { CertificateSource } from './certificates.ts'
import { makeLeaf, makeRoot, newKey } from './make-certificates.ts'
import { rootPath } from './tls-folder.ts'

const rootLifeMs = 10 * 365 * dayMs
/** Browsers accept no longer life. */
const leafLifeMs = 397 * dayMs
/** Time by which certificates begin early, for clients whose clocks are late. */
const earlyMs = dayMs

/** Names and addresses that a certificate should have. */
export interface WantedNames {
  /** A certificate without one of these is replaced. */
  readonly required: readonly string[]
  /** Part of the next certificate, such as IPv6 addresses that change by the day. */
  readonly welcome: readonly string[]
}

interface OwnAuthorityOptions {
  readonly folder: string
  /** Name of the machine, part of the root's name. */
  readonly machine: string
  readonly names: () => WantedNames
  readonly clock: () => number
}

interface Root {
  readonly certificate: string
  readonly key: string
}

/** Returns the authority in a folder, made at the first call. Rejects with CertificateError if it is damaged. */
export async function openRoot({ folder, machine, clock }: Omit<OwnAuthorityOptions, 'names'>): Promise<Root> {
  const [certificatePath, keyPath] = [rootPath(folder), join(folder, 'root.key')]
  const [certificate, key] = [readIfThere(certificatePath), readIfThere(keyPath)]
  const nowMs = clock()
  if (certificate === undefined && key === undefined) {
    const made = newKey()
    const period = { fromMs: nowMs - earlyMs, toMs: nowMs + rootLifeMs }
    const root = { key: made, certificate: await makeRoot(made, `inferd on ${machine}`.slice(0, 64), period) }
    writePrivateFile(keyPath, root.key)
    writePrivateFile(certificatePath, root.certificate)
    return root
  }
  const missing = certificate === undefined ? certificatePath : keyPath
  if (certificate === undefined || key === undefined)
    throw new CertificateError(
      `${missing} is gone; restore it from a backup, or delete ${folder} for a new authority, which clients must trust anew`,
    )
  return readPair({ certificate, key, certificateName: certificatePath, keyName: keyPath }, nowMs)
}

/** Issues certificates for the names of this machine, and new ones when names are missing or a third of the life is left. */
export function ownAuthority(root: Root, { folder, names, clock }: OwnAuthorityOptions): CertificateSource {
  const [certificatePath, keyPath] = [join(folder, 'server.pem'), join(folder, 'server.key')]
  const rootEndMs = Date.parse(new X509Certificate(root.certificate).validTo)
  const issue = async (): Promise<CertificatePair> => {
    const { required, welcome } = names()
    const nowMs = clock()
    const key = newKey()
    const period = { fromMs: nowMs - earlyMs, toMs: Math.min(nowMs - earlyMs + leafLifeMs, rootEndMs) }
    const leaf = await makeLeaf({ key, names: [...new Set([...required, ...welcome])], period, authority: root })
    const certificate = `${leaf.trimEnd()}\n${root.certificate.trimEnd()}\n`
    writePrivateFile(keyPath, key)
    writePrivateFile(certificatePath, certificate)
    return readPair({ certificate, key, certificateName: certificatePath, keyName: keyPath }, nowMs)
  }
  const isRight = ({ facts }: CertificatePair) =>
    // A certificate that ends with the root has no better successor.
    (facts.validToMs - clock() > leafLifeMs / 3 || facts.validToMs === rootEndMs) &&
    // Later only if the clock was ahead when it was made.
    facts.validFromMs <= clock() &&
    names().required.every((name) => isFor(facts.names, name))
  const stored = (): CertificatePair | undefined => {
    const [certificate, key] = [readIfThere(certificatePath), readIfThere(keyPath)]
    if (certificate === undefined || key === undefined || !certificate.includes(root.certificate.trim()))
      return undefined
    try {
      return readPair({ certificate, key, certificateName: certificatePath, keyName: keyPath }, clock())
    } catch {
      return undefined // A kill between its two files: another one takes its place.
    }
  }
  return {
    async first() {
      const pair = stored()
      return pair !== undefined && isRight(pair) ? pair : issue()
    },
    next: async (current) => (isRight(current) ? undefined : issue()),
  }
}
