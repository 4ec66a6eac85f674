/**
 * Files of a bundle. Each name is lower-case and short, so that FAT32 and exFAT keep it as it is, and no file reaches the
 * 4 GiB that FAT32 cannot hold.
 */

/** Below the folder that the operator names. */
export const bundleFolder = 'inferd-bundle'

export const manifestName = 'manifest.json'

/** Where minisign looks for the signature of the manifest. */
export const signatureName = `${manifestName}.minisig`

/** Size of a part; the last one of a file is smaller. */
export const defaultPartBytes = 3840 * 1024 * 1024

/** Largest file of FAT32. */
export const maximumPartBytes = 2 ** 32 - 1

/** Sums of 7 TiB fit: 64 MiB take one. */
export const manifestLimitBytes = 8 * 1024 * 1024

/** As many as three digits can number. */
export const maximumParts = 1000

/** Where a part of the content with this sum lies. */
export function partPath(sha256: string, index: number): string {
  return `blobs/${sha256.slice(0, 2)}/${sha256}.${String(index).padStart(3, '0')}`
}

export function licensePath(name: string): string {
  return `licenses/${name}.txt`
}

/** Names of DOS devices, which Windows keeps for itself with any ending. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/

/** What a licence's text may be called. */
export const licenseNamePattern = '^[a-z0-9][a-z0-9-]*(\\.[a-z0-9-]+)*$'

export function isDeviceName(name: string): boolean {
  return deviceName.test(name)
}

/** A name for the text of a licence that no other text has. */
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
