/**
 * Format of a backup: a tar archive of a description, the database, the settings file, the operator's manifests, and
 * keys and certificates of TLS. It ends with the SHA-256 of everything before, so that any changed or missing byte is found.
 */
import { resolve } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { errorText } from '../core/error-text.ts'
import { endBlocks, fileHeader, padding } from '../store/archive/tar-writer.ts'

export const databaseName = 'inferd.db'
export const settingsName = 'config.toml'
export const manifestsFolder = 'models.d'
/** Folder of keys and certificates for TLS. */
export const tlsFolderName = 'tls'
/** Name of the first file, which describes the others. */
export const descriptionName = 'backup.json'
const sumName = 'SHA256'

const amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })

export const backupDescription = Type.Object({
  format: Type.Literal(1),
  /** Version of the program that made it. */
  inferd: Type.String({ maxLength: 100 }),
  /** Schema version of the database. */
  schema: amount,
  /** Milliseconds UTC. */
  createdMs: amount,
  /** Path of the settings file. Absent if it was in the data folder. */
  settingsPath: Type.Optional(Type.String({ maxLength: 4096 })),
  files: Type.Array(Type.Object({ name: Type.String({ maxLength: 300 }), bytes: amount, sha256 }), {
    maxItems: 10_000,
  }),
})
export type BackupDescription = Readonly<Static<typeof backupDescription>>

/** Error of an invalid or failed backup. The message says what to do next. */
export class BackupError extends Error {
  override name = 'BackupError'
}

/** Returns an error of the system or the database in a backup or restore, with the next step. */
export function withAdvice(error: unknown, what: string, advice: string): BackupError {
  if (error instanceof BackupError) return error
  return new BackupError(`${what}: ${errorText(error)}; ${advice}`, {
    cause: error,
  })
}

/** Returns whether a backup may contain a file of this name. None lies outside the data folder. */
export function isBackupName(name: string): boolean {
  const isTlsFile = /^tls\/[a-z][a-z-]*\.(pem|key|json)$/.test(name)
  return (
    name === databaseName ||
    name === settingsName ||
    isTlsFile ||
    isManifestName(name.replace(/^models\.d\//, ''), name)
  )
}

function isManifestName(own: string, name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  return own !== name && /^[^./\x00-\x1f][^/\x00-\x1f]*\.toml$/.test(own)
}

/** Returns the end of a backup whose earlier bytes have this SHA-256. */
export function backupEnd(hex: string): Uint8Array {
  const content = Buffer.from(`${hex}\n`)
  return Buffer.concat([fileHeader(sumName, content.length), content, padding(content.length), endBlocks])
}

export const backupEndBytes = backupEnd('0'.repeat(64)).length

/** Returns the absolute folder of backups. Defaults to `backups` in the data folder. */
export function backupFolder({
  data,
  backupFolder: folder,
}: {
  readonly data: string
  readonly backupFolder?: string | undefined
}): string {
  return resolve(data, folder ?? 'backups')
}

/** Returns a name such as `inferd-20261122T185300Z.tar`, which sorts by time. */
export function backupFileName(timeMs: number): string {
  return `inferd-${new Date(timeMs).toISOString().replace(/[-:]|\.\d+/g, '')}.tar`
}

/** Returns the creation time from a backup's file name; undefined for other names. */
export function backupTimeMs(fileName: string): number | undefined {
  const [, ...parts] = /^inferd-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar$/.exec(fileName) ?? []
  const [year, month, day, hour, minute, second] = parts
  const timeMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(timeMs) ? undefined : timeMs
}
