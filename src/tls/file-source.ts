import { CertificateError, type CertificatePair, isFor } from './certificate-pair.ts'
import type { CertificateSource } from './certificates.ts'
import { type PairFiles, readPairFiles } from './pair-files.ts'

interface FileSourceOptions extends PairFiles {
  /** Host of the public address, for which the certificate must be. Undefined without one. */
  readonly publicHost: string | undefined
  readonly clock: () => number
}

/** Takes the pair of two files whenever they hold another one. */
export function fileSource(options: FileSourceOptions): CertificateSource {
  const read = () => {
    const pair = readPairFiles(options, options.clock())
    requireHost(pair, options)
    return pair
  }
  return {
    first: async () => read(),
    async next(current) {
      const pair = read()
      const isSame = pair.certificate === current.certificate && pair.key === current.key
      return isSame ? undefined : pair
    },
  }
}

function requireHost({ facts: { names } }: CertificatePair, { certificatePath, publicHost }: FileSourceOptions): void {
  if (publicHost === undefined || isFor(names, publicHost)) return
  const list = names.length === 0 ? 'no name' : names.slice(0, 10).join(', ')
  throw new CertificateError(
    `the certificate in ${certificatePath} is for ${list}, and not for ${publicHost} of public-url; change one of them`,
  )
}
