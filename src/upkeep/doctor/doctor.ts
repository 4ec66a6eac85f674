/** Health check of a box: one list for the command, the operator's page and the text for helpers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFfmpeg } from '../../audio/ffmpeg/find-ffmpeg.ts'
import { type Config, libraryVersions, version } from '../../config/config.ts'
import { readIfThere } from '../../core/private-file.ts'
import type { UsageReport } from '../../core/usage.ts'
import type { JudgedBackend, RuntimePaths } from '../../engines/protocol/backend.ts'
import { readGpuSigns, usualPlaces } from '../../machine/gpu-signs.ts'
import type { MemoryReadings } from '../../machine/read-memory.ts'
import { verifySmtp } from '../../mail/smtp.ts'
import { rootPath, tlsFolder } from '../../tls/tls-folder.ts'
import type { BackupFolder } from '../backup-folder.ts'
import { backendFindings, nvidiaFindings } from './backend-check.ts'
import { backupFinding, type ExaminedBackups } from './backup-check.ts'
import { type Check, type Examination, type Finding, runChecks, withinLimit } from './check.ts'
import { type CheckedEndpoint, endpointFindings } from './endpoint-check.ts'
import { identityFindings } from './identity-check.ts'
import {
  clockFinding,
  diskFindings,
  driverOf,
  type FolderRoom,
  folderRooms,
  llamaRelease,
  memoryFindings,
  runtimeFinding,
} from './machine-checks.ts'
import { certificateFinding, mailFinding, readCertificate } from './network-checks.ts'
import { certificateFindings, type UsedCertificate } from './own-certificate-check.ts'
import { type CheckedReceiver, receiverFindings } from './receiver-check.ts'
import { searchFinding } from './search-check.ts'
import { estimateFindings } from './usage-check.ts'

export interface DoctorOptions {
  readonly config: Config
  readonly readMemory: () => Promise<MemoryReadings>
  /** Returns the paths of runtime files. May unpack them. */
  readonly runtime: () => Promise<RuntimePaths>
  /** Returns the backends of engines after probing those that a load would try, within some seconds. */
  readonly backends: () => Promise<readonly JudgedBackend[]>
  readonly backups: () => Promise<ExaminedBackups>
  readonly backupFolder: Pick<BackupFolder, 'path' | 'room'>
  /** Asks the endpoints of upstream models. Empty if no server runs. */
  readonly endpoints: () => Promise<readonly CheckedEndpoint[]>
  /** Asks the receivers of records. Empty if no server runs. */
  readonly receivers: () => Promise<readonly CheckedReceiver[]>
  /** Returns the certificate that the server uses. Undefined if none runs, or without TLS. */
  readonly certificate: () => Promise<UsedCertificate | undefined>
  /** Runs the database's own check. */
  readonly books: () => Promise<Finding[]>
  /** Usage of each model in the last day. Undefined if it cannot be read. */
  readonly usageOfDay: UsageReport | undefined
  /** Latest time in the database. */
  readonly latestEntryMs: number | undefined
  /** Folders to search for programs. */
  readonly programPath: string | undefined
  /** True to ask the public address for its certificate, which sends a packet there. */
  readonly withCertificate: boolean
  /** Completes commands in advice. */
  readonly complete: (text: string) => string
  readonly nowMs: number
}

export interface Diagnosis {
  readonly checkedMs: number
  readonly checks: readonly Check[]
  /** Folders that the server writes to. Empty if a disk does not answer. */
  readonly folders: readonly FolderRoom[]
  /** Versions of this program and its libraries by name. */
  readonly versions: Readonly<Record<string, string>>
}

/** Runs all checks. Never rejects. */
export async function examine(options: DoctorOptions): Promise<Diagnosis> {
  const { nowMs, runtime, readMemory, complete } = options
  const [rooms, readings] = [withinLimit(roomsOf(options)), withinLimit(readMemory())]
  const found = await runChecks(examinations(options, { rooms, readings }))
  const checks = found.map((check) => ({ ...check, advice: check.advice && complete(check.advice) }))
  const folders = await rooms.catch(() => [])
  const driver = await readings.then(driverOf, () => undefined)
  const release = await runtime().then(readRelease, () => undefined)
  const others = { ...(release !== undefined && { 'llama.cpp': release }), ...(driver !== undefined && { driver }) }
  const versions = { inferd: version, bun: Bun.version, ...libraryVersions, ...others }
  return { checkedMs: nowMs, checks, folders, versions }
}

interface Readings {
  readonly rooms: Promise<readonly FolderRoom[]>
  readonly readings: Promise<MemoryReadings>
}

function examinations(options: DoctorOptions, { rooms, readings }: Readings): Examination[] {
  const { config, runtime, endpoints, backups, books, usageOfDay, latestEntryMs, programPath, withCertificate, nowMs } =
    options
  const { mail, publicUrl } = config
  const rows: Examination[] = [
    { name: 'database', examine: books },
    { name: 'disk', examine: async () => diskFindings(await rooms) },
    { name: 'memory', examine: async () => memoryFindings(await readings) },
    { name: 'runtime', examine: async () => [runtimeFinding(await runtime())] },
    { name: 'GPU libraries', examine: async () => nvidiaFindings(config) },
    { name: 'backends', examine: async () => backendFindings(await options.backends(), signsOf(config)) },
    { name: 'clock', examine: async () => [clockFinding(nowMs, latestEntryMs)] },
    { name: 'mail', examine: async () => [await mailFinding(mail && (() => verifySmtp(mail)))] },
    { name: 'web search', examine: async () => [await searchFinding(config.searchUrl)] },
    { name: 'backup', examine: async () => [backupFinding(await backups(), nowMs)] },
    { name: 'upstream endpoints', examine: async () => endpointFindings(await endpoints()) },
    { name: 'receivers', examine: async () => receiverFindings(await options.receivers()) },
    { name: 'TLS', examine: async () => certificateFindings(await options.certificate(), nowMs) },
    { name: 'ffmpeg', examine: async () => [ffmpegFinding(findFfmpeg(programPath))] },
  ]
  if (usageOfDay !== undefined) rows.push({ name: 'usage', examine: async () => estimateFindings(usageOfDay) })
  const providers = [...config.providers.values()]
  if (providers.length > 0) rows.push({ name: 'identity providers', examine: () => identityFindings(providers) })
  if (config.ollamaKeyless) rows.push({ name: 'keyless', examine: async () => [keylessFinding] })
  if (!withCertificate || publicUrl === undefined || !publicUrl.startsWith('https:')) return rows
  const certificate = async () => {
    const served = await readCertificate(new URL(publicUrl), ownRoot(config))
    return [
      certificateFinding(served, nowMs, config.tls === 'off' ? undefined : "'inferd tls status' says what is wrong"),
    ]
  }
  return [...rows, { name: 'certificate', examine: certificate }]
}

/** Returns the root certificate of this server's own authority. Undefined if it has none. */
function ownRoot({ tls, data }: Config): string | undefined {
  return tls === 'own-ca' ? readIfThere(rootPath(tlsFolder(data))) : undefined
}

const keylessFinding: Finding = {
  verdict: 'warn',
  text: "programs on this machine need no API key, and the operator's account pays for them",
  advice: "revoke their key with 'inferd keys revoke', or start without --ollama-keyless",
}

function signsOf({ engineEnvironment }: Config) {
  return readGpuSigns(usualPlaces(engineEnvironment.LD_LIBRARY_PATH))
}

async function roomsOf({ config: { data }, backupFolder }: DoctorOptions): Promise<FolderRoom[]> {
  const { path } = backupFolder
  // The check of backups tells of a backup folder that does not answer.
  const backups = backupFolder.room().then(
    (room) => [{ name: 'backups', path, ...room }],
    () => [],
  )
  const own = folderRooms({ data, models: join(data, 'models'), uploads: join(data, 'spool') })
  return [...(await own), ...(await backups)]
}

function ffmpegFinding(path: string | undefined): Finding {
  if (path !== undefined) return { verdict: 'ok', text: `ffmpeg decodes recordings: ${path}` }
  const text =
    'There is no ffmpeg: m4a, mp4, aac and amr recordings are refused, and others take four times as long to decode.'
  return { verdict: 'ok', text }
}

function readRelease(paths: RuntimePaths): string | undefined {
  try {
    const { release } = Object(JSON.parse(readFileSync(llamaRelease(paths), 'utf8')))
    return typeof release === 'string' ? release : undefined
  } catch {
    return undefined // another layout of node-llama-cpp
  }
}
