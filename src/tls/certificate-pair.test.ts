import 'reflect-metadata'
import { expect, test } from 'bun:test'
import { KeyObject } from 'node:crypto'
import { X509CertificateGenerator } from '@peculiar/x509'
import { certificate, privateKey } from '../testing/own-certificate.ts'
import { readPair } from './certificate-pair.ts'

const sources = { certificateName: 'chain.pem', keyName: 'server.key' }

test('a damaged certificate anywhere in a chain is refused before a server tries to use it', () => {
  const damaged = '-----BEGIN CERTIFICATE-----\nZ2FyYmFnZQ==\n-----END CERTIFICATE-----\n'
  const read = (pem: string) => () => readPair({ certificate: pem, key: privateKey, ...sources }, Date.now())
  expect(read(`${certificate}\n${certificate}`)().certificate).toContain('BEGIN')
  expect(read(`${certificate}\n${damaged}`)).toThrow('chain.pem holds no certificate in PEM')
  // As while a file is written.
  expect(read(`${certificate}\n${certificate.slice(0, 200)}`)).toThrow('chain.pem holds no certificate in PEM')
  expect(read('nothing')).toThrow('chain.pem holds no certificate in PEM')
})

test('an RSA key that clients refuse is refused with its length', async () => {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(
    { ...algorithm, modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ['sign', 'verify'],
  )
  const made = await X509CertificateGenerator.createSelfSigned({ keys, signingAlgorithm: algorithm })
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString()
  const read = () => readPair({ certificate: made.toString('pem'), key, ...sources }, Date.now())
  expect(read).toThrow('server.key has 1024 bits, and clients accept 2048 or more')
})
