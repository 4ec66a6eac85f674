import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  bundleFolder,
  licenseName,
  licenseNamePattern,
  licensePath,
  manifestName,
  partPath,
  signatureName,
} from './layout.ts'

/** Returns whether FAT32 and exFAT, also under Windows, keep the path unchanged: lower case, and no device name. */
function isSafe(path: string): boolean {
  return path
    .split('/')
    .every(
      (name) =>
        /^[a-z0-9][a-z0-9._-]*$/.test(name) &&
        name.length <= 120 &&
        !/[. ]$/.test(name) &&
        !/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/.test(name),
    )
}

test('names of parts and lists are safe on every file system', () => {
  const sum = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'))
  fc.assert(fc.property(sum, fc.nat(999), (sha256, index) => isSafe(partPath(sha256, index))))
  expect([bundleFolder, manifestName, signatureName].every(isSafe)).toBe(true)
})

test('names of licences are safe, and no two texts share one', () => {
  const id = fc.oneof(
    fc.constantFrom(
      'CON',
      'nul.txt',
      'Apache-2.0',
      'apache-2.0',
      '..',
      '.hidden',
      'LPT1',
      '',
      'a.',
      '-x',
      'Ä',
      'a/../b',
    ),
    fc.string({ unit: 'binary', maxLength: 300 }),
  )
  fc.assert(
    fc.property(fc.array(id, { maxLength: 20 }), (ids) => {
      const names: string[] = []
      for (const each of ids) names.push(licenseName(each, (name) => names.includes(name)))
      expect(new Set(names).size).toBe(ids.length)
      for (const name of names) {
        expect(name).toMatch(new RegExp(licenseNamePattern))
        expect(isSafe(licensePath(name))).toBe(true)
      }
    }),
  )
})
