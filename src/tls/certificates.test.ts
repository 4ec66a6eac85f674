import { expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { certificate, privateKey } from '../testing/own-certificate.ts'
import { factsOf } from './certificate-pair.ts'
import { Certificates } from './certificates.ts'

test('a certificate that the server cannot use is told, tried again, and never counts as the current one', async () => {
  const first = { certificate, key: privateKey, facts: factsOf(new X509Certificate(certificate)) }
  const next = { ...first }
  const problems: string[] = []
  let isUsable = false
  const certificates = new Certificates({
    source: { first: async () => first, next: async () => next },
    clock: () => first.facts.validFromMs,
    onPair: () => {
      if (!isUsable) throw new Error('cannot be used')
    },
    onProblem: (reason) => problems.push(reason),
    onExpiring: () => undefined,
  })
  await certificates.start()
  await certificates.look()
  expect(certificates.current).toBe(first)
  expect(problems).toEqual(['cannot be used'])
  isUsable = true
  await certificates.look()
  expect(certificates.current).toBe(next)
  expect(certificates.problem).toBeUndefined()
  certificates.stop()
})
