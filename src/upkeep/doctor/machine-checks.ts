/** Checks of the machine: disks, memory, devices, runtime files and the clock. Pure except for reads. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sizeText } from '../../core/quantities.ts'
import type { RuntimePaths } from '../../engines/protocol/backend.ts'
import type { MemoryReadings } from '../../machine/read-memory.ts'
import { readDiskRoom } from '../../store/pull/disk-room.ts'
import type { Finding } from './check.ts'

/** Free share of a disk below which a warning is given. */
const lowDiskPart = 0.1
/** Free bytes below which the database soon cannot be written. */
const leastDiskBytes = 1e9

/** Folder of the server with the space on its disk. */
export interface FolderRoom {
  readonly name: string
  readonly path: string
  /** Device number of its disk. */
  readonly device: number
  readonly freeBytes: number
  readonly totalBytes: number
}

/** Returns the space of the folders. Missing folders count as their parents. */
export function folderRooms(folders: Readonly<Record<string, string>>): Promise<FolderRoom[]> {
  return Promise.all(
    Object.entries(folders).map(async ([name, path]) => {
      const { freeBytes, totalBytes } = await readDiskRoom(path)
      return { name, path, device: deviceOf(path), freeBytes, totalBytes }
    }),
  )
}

/** Returns one finding per disk. */
export function diskFindings(rooms: readonly FolderRoom[]): Finding[] {
  return [...Map.groupBy(rooms, ({ device }) => device).values()].flatMap((onDisk) => {
    const [first] = onDisk
    return first === undefined ? [] : diskFinding(onDisk.map(({ name }) => name).join(', '), first)
  })
}

function diskFinding(names: string, { freeBytes, totalBytes }: FolderRoom): Finding {
  const text = `${names}: ${sizeText(freeBytes)} of ${sizeText(totalBytes)} free`
  const advice = "make room: 'inferd du' shows what models take, 'inferd gc' what nothing needs"
  if (freeBytes < leastDiskBytes) return { verdict: 'bad', text, advice }
  return freeBytes < lowDiskPart * totalBytes ? { verdict: 'warn', text, advice } : { verdict: 'ok', text }
}

function deviceOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined && dirname(path) !== path ? deviceOf(dirname(path)) : (found?.dev ?? 0)
}

const lowMemoryPart = 0.05

/** Returns findings on host memory and each device. */
export function memoryFindings(readings: MemoryReadings): Finding[] {
  const { host, ...devices } = readings
  const found = Object.entries(devices).map(([id, reading]): Finding => {
    if (reading === 'unknown')
      return {
        verdict: 'bad',
        text: `${id} does not answer`,
        advice: 'its driver hangs or the device is lost: look for its name in the kernel log (dmesg), then reboot',
      }
    const hardware = reading.hardware === undefined ? '' : ` (${reading.hardware})`
    return { verdict: 'ok', text: `${id}${hardware}: ${freeOf(reading)}` }
  })
  return [hostFinding(host), ...(found.length === 0 ? [noDevice] : found)]
}

const noDevice: Finding = {
  verdict: 'ok',
  text: 'no GPU is found: models run on the CPU',
  advice: "if there is one, its driver is missing: 'nvidia-smi' must show an NVIDIA card, 'vulkaninfo' any other",
}

function hostFinding(host: MemoryReadings[string] | undefined): Finding {
  if (host === undefined || host === 'unknown')
    return { verdict: 'unknown', text: 'the kernel does not say what is free' }
  const text = `host: ${freeOf(host)}`
  return host.freeBytes < lowMemoryPart * host.totalBytes
    ? {
        verdict: 'warn',
        text,
        advice: "unload models, or end other programs: 'inferd ps' shows what models have reserved and use",
      }
    : { verdict: 'ok', text }
}

/** Returns the driver version of the devices; undefined if none reports it. */
export function driverOf(readings: MemoryReadings): string | undefined {
  const drivers = Object.values(readings).map((reading) => (reading === 'unknown' ? undefined : reading.driver))
  return drivers.find((driver) => driver !== undefined)
}

function freeOf({ freeBytes, totalBytes }: { readonly freeBytes: number; readonly totalBytes: number }): string {
  return `${sizeText(freeBytes)} of ${sizeText(totalBytes)} free`
}

/** Checks native libraries and starter models, which the executable unpacks. */
export function runtimeFinding({ backends, ...paths }: RuntimePaths): Finding {
  const missing = Object.values(paths).filter((path) => !existsSync(path))
  if (missing.length === 0) return { verdict: 'ok', text: 'all runtime files are here' }
  const advice = "delete the data folder's runtime/, and start the server: it unpacks them again"
  return { verdict: 'bad', text: `${missing.join(', ')} is missing`, advice }
}

/** Returns the path of the file that names llama.cpp's release. */
export function llamaRelease({ nodeLlamaCpp }: RuntimePaths): string {
  return join(dirname(nodeLlamaCpp), 'llama', 'binariesGithubRelease.json')
}

/** Earliest plausible time: this program is newer. */
const earliestMs = Date.UTC(2026, 0, 1)
const skewMs = 5 * 60_000

/** Checks the clock. `latestMs` is the latest time in the database. */
export function clockFinding(nowMs: number, latestMs: number | undefined): Finding {
  const text = `the clock says ${new Date(nowMs).toISOString()}`
  const advice = 'set the clock, and keep it right by NTP: sessions, links and bills go by it'
  if (nowMs < earliestMs) return { verdict: 'bad', text: `${text}, which is long ago`, advice }
  if (latestMs !== undefined && latestMs - nowMs > skewMs)
    return {
      verdict: 'warn',
      text: `${text}, before the latest entry in the database, ${new Date(latestMs).toISOString()}`,
      advice,
    }
  return { verdict: 'ok', text }
}
