/** Check of a bundle's signature against trusted keys, before any other file of the bundle is read. */
import { createHash } from 'node:crypto'
import { FileError } from '../../catalog/stat-file.ts'
import { keyIdText, type PublicKey, parsePublicKey, publicKeyText } from '../minisign/public-key.ts'
import { isSignedBy, parseSignature, type Signature } from '../minisign/signature.ts'
import { MinisignError } from '../minisign/text.ts'
import { manifestLimitBytes, manifestName, signatureName } from './layout.ts'
import { BundleError, type BundleManifest, parseBundleManifest } from './manifest.ts'
import { readOnMedium } from './medium.ts'

/** Texts of trusted public keys, or the one manifest that is accepted without a signature. */
export type Trust =
  | { readonly kind: 'keys'; readonly keys: readonly string[] }
  | { readonly kind: 'unsigned'; readonly manifestSha256: string }

export interface TrustedBundle {
  readonly manifest: BundleManifest
  readonly manifestSha256: string
  /** Text of the signing key. Undefined if accepted without a signature. */
  readonly signedBy: string | undefined
}

const signatureLimitBytes = 16 * 1024

/** Error of a bundle that is signed by a key not trusted yet. */
export class UnknownKeyError extends BundleError {
  override name = 'UnknownKeyError'
  /** Text of the key, if the bundle names it and it matches the signature. */
  readonly claimedKey: string | undefined

  constructor(message: string, claimedKey: string | undefined) {
    super(message)
    this.claimedKey = claimedKey
  }
}

/** Returns the comment that a bundle's signature covers as well. */
export function trustedComment({ bundle, serial }: Pick<BundleManifest, 'bundle' | 'serial'>): string {
  return `inferd bundle ${bundle} serial ${serial}`
}

/** Reads the manifest of the bundle in `root` and its signature, and checks both. Throws BundleError. */
export async function readTrusted(root: string, trust: Trust): Promise<TrustedBundle> {
  const bytes = await required(root, manifestName, manifestLimitBytes)
  const manifestSha256 = createHash('sha256').update(bytes).digest('hex')
  const signedBy = trust.kind === 'keys' ? await signerOf(root, bytes, trust.keys) : undefined
  if (trust.kind === 'unsigned' && trust.manifestSha256 !== manifestSha256) {
    throw new BundleError(`${manifestName} has the sum ${manifestSha256}, not the one of --unsigned: do not install it`)
  }
  const manifest = parseBundleManifest(textOf(bytes, manifestName))
  if (signedBy !== undefined && signedBy.comment !== trustedComment(manifest)) {
    throw new BundleError(`${signatureName} was made for "${signedBy.comment}", not for this bundle`)
  }
  return { manifest, manifestSha256, signedBy: signedBy?.key }
}

async function signerOf(root: string, manifest: Buffer, keys: readonly string[]) {
  const signature = await readSignature(root)
  const isSigner = (key: PublicKey) => isSignedBy(key, signature, manifest)
  const known = keys.map(parsePublicKey)
  const signer = known.find(isSigner)
  if (signer !== undefined) return { key: publicKeyText(signer), comment: signature.trustedComment }
  if (known.some(({ id }) => id.equals(signature.keyId))) {
    throw new BundleError(
      `${manifestName} or ${signatureName} is not as it was signed: one of them is damaged or was changed; copy both again`,
    )
  }
  const claimed = claimedKey(manifest)
  throw new UnknownKeyError(
    `${signatureName} is of the key ${keyIdText(signature.keyId)}, which is not trusted here`,
    claimed !== undefined && isSigner(claimed) ? publicKeyText(claimed) : undefined,
  )
}

async function readSignature(root: string): Promise<Signature> {
  const bytes = await required(root, signatureName, signatureLimitBytes)
  try {
    return parseSignature(textOf(bytes, signatureName))
  } catch (error) {
    throw error instanceof MinisignError ? new BundleError(`${signatureName} ${error.message}`) : error
  }
}

/** Returns the key that the untrusted manifest names, to be shown and compared with the maker's. */
function claimedKey(manifest: Buffer): PublicKey | undefined {
  const text = /"publicKey":"([A-Za-z0-9+/=]{56})"/.exec(manifest.toString('latin1'))?.[1]
  try {
    return text === undefined ? undefined : parsePublicKey(text)
  } catch {
    return undefined // no key: nothing to show
  }
}

async function required(root: string, name: string, limitBytes: number): Promise<Buffer> {
  try {
    const bytes = await readOnMedium(root, name, limitBytes)
    if (bytes !== undefined) return bytes
  } catch (error) {
    if (error instanceof FileError) throw new BundleError(`${name} ${error.message}`)
    throw error
  }
  if (name === manifestName) throw new BundleError(`there is no ${name}: name the folder of a bundle`)
  throw new BundleError(
    `there is no ${name}: copy it, or take a bundle that was not signed by its sum, --unsigned MANIFEST_SHA256`,
  )
}

function textOf(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new BundleError(`${name} is damaged: it is not text in UTF-8`)
  }
}
