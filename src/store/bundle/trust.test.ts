import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BundleBox, bundleBox, flipByte } from '../../testing/bundle-box.ts'
import { publicKeyText } from '../minisign/public-key.ts'
import { generateSecretKey } from '../minisign/secret-key.ts'
import { formatSignature, signContent } from '../minisign/signature.ts'
import { manifestName, signatureName } from './layout.ts'
import { BundleError } from './manifest.ts'
import { readTrusted, UnknownKeyError } from './trust.ts'

let box: BundleBox
let root = ''
beforeAll(async () => {
  box = bundleBox()
  await box.addModel('org/one')
  root = (await box.bundle(['org/one'], 'stick')).folders[0] ?? ''
})
afterAll(() => box[Symbol.dispose]())

/** Copies the bundle's lists into a folder, so that a test can change them. */
function copyOf(name: string): string {
  const copy = join(box.folder, name)
  mkdirSync(copy)
  for (const list of [manifestName, signatureName]) cpSync(join(root, list), join(copy, list))
  return copy
}

async function problemOf(folder: string, trust = box.trust): Promise<string> {
  try {
    await readTrusted(folder, trust)
    return 'trusted'
  } catch (error) {
    if (error instanceof BundleError) return error.message
    throw error
  }
}

test('a bundle of a trusted key is trusted', async () => {
  const other = publicKeyText(generateSecretKey().publicKey)
  const own = publicKeyText(box.key.publicKey)
  expect(await readTrusted(root, { kind: 'keys', keys: [other, own] })).toMatchObject({ signedBy: own })
})

test.each([manifestName, signatureName])('no byte of %s can change unnoticed, and the file is named', async (name) => {
  const copy = copyOf(`flipped-${name}`)
  const length = readFileSync(join(copy, name)).length
  for (let offset = 0; offset < length; offset++) {
    flipByte(join(copy, name), offset, 1 << (offset % 8))
    expect(await problemOf(copy)).toContain(name)
    flipByte(join(copy, name), offset, 1 << (offset % 8))
  }
  expect(await problemOf(copy)).toBe('trusted')
})

test('a key that is not known is named, if it is the one that signed', async () => {
  const other = publicKeyText(generateSecretKey().publicKey)
  const untrusted = readTrusted(root, { kind: 'keys', keys: [other] })
  expect(untrusted).rejects.toThrow(UnknownKeyError)
  expect(untrusted).rejects.toMatchObject({ claimedKey: publicKeyText(box.key.publicKey) })
  const copy = copyOf('claimed')
  writeFileSync(
    join(copy, manifestName),
    readFileSync(join(copy, manifestName), 'utf8').replace(/"RW.{54}"/, `"${other}"`),
  )
  expect(readTrusted(copy, { kind: 'keys', keys: [] })).rejects.toMatchObject({ claimedKey: undefined })
})

test('a signature for another bundle is refused, although the key is right', async () => {
  const copy = copyOf('other')
  const manifest = readFileSync(join(copy, manifestName))
  writeFileSync(
    join(copy, signatureName),
    formatSignature(signContent(box.key, manifest, 'inferd bundle other serial 1')),
  )
  expect(await problemOf(copy)).toContain('was made for "inferd bundle other serial 1", not for this bundle')
})

test('without a signature a bundle is taken by the sum of its manifest alone', async () => {
  const copy = copyOf('unsigned')
  rmSync(join(copy, signatureName))
  expect(await problemOf(copy)).toContain(
    `there is no ${signatureName}: copy it, or take a bundle that was not signed by its sum, --unsigned`,
  )
  const { manifestSha256 } = await readTrusted(root, box.trust)
  expect(await readTrusted(copy, { kind: 'unsigned', manifestSha256 })).toMatchObject({ signedBy: undefined })
  expect(await problemOf(copy, { kind: 'unsigned', manifestSha256: '0'.repeat(64) })).toContain(
    `${manifestSha256}, not`,
  )
})

test('lists that are links, FIFOs, folders or too large are refused', async () => {
  for (const name of [manifestName, signatureName]) {
    const replacements: Record<string, (path: string) => unknown> = {
      link: (path) => symlinkSync(join(root, name), path),
      dangling: (path) => symlinkSync('/nothing', path),
      fifo: (path) => Bun.spawnSync(['mkfifo', path]),
      folder: (path) => mkdirSync(path),
      large: (path) => writeFileSync(path, Buffer.alloc(10 * 1024 * 1024, 0x20)),
    }
    for (const [kind, replace] of Object.entries(replacements)) {
      const copy = copyOf(`${kind}-${name}`)
      rmSync(join(copy, name))
      replace(join(copy, name))
      expect(await problemOf(copy)).toMatch(new RegExp(`${name} (is a link, a device or a folder|is larger than)`))
    }
  }
})
