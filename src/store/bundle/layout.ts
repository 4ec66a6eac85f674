/**
 * Files of a bundle. Names are lower-case and short, so that FAT32 and exFAT keep them unchanged, and no file reaches
 * the 4 GiB limit of FAT32.
 */

/** Folder below the one that the operator names. */
export const bundleFolder = 'inferd-bundle'

export const manifestName = 'manifest.json'

/** File name at which minisign looks for the manifest's signature. */
export const signatureName = `${manifestName}.minisig`

/** Size of a part. The last part of a file is smaller. */
export const defaultPartBytes = 3840 * 1024 * 1024

/** Largest file of FAT32. */
export const maximumPartBytes = 2 ** 32 - 1

/** Largest manifest. 64 MiB would hold sums of 7 TiB. */
export const manifestLimitBytes = 8 * 1024 * 1024

/** Most parts of a content: the name has three digits. */
export const maximumParts = 1000

/** Returns the path of a part of the content with this checksum. */
export function partPath(sha256: string, index: number): string {
  return `blobs/${sha256.slice(0, 2)}/${sha256}.${String(index).padStart(3, '0')}`
}

export function licensePath(name: string): string {
  return `licenses/${name}.txt`
}

/** Names of DOS devices, which Windows reserves with any ending. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/

/** Pattern of names of licence texts. */
export const licenseNamePattern = '^[a-z0-9][a-z0-9-]*(\\.[a-z0-9-]+)*$'

export function isDeviceName(name: string): boolean {
  return deviceName.test(name)
}

/** Returns a name for a licence's text that no other text has. */
export function licenseName(id: string, isTaken: (name: string) => boolean): string {
  const plain = id
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .slice(0, 80)
    .replace(/\.+/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '')
  const name = plain === '' || isDeviceName(plain) ? `license-${plain}`.replace(/-$/, '') : plain
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`
    if (!isTaken(candidate)) return candidate
  }
}
