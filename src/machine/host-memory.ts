/** Memory of this machine that processes may use: the kernel's figures within the control groups' limits. */
import { type ControlGroup, ownControlGroups } from './control-groups.ts'
import { readText } from './read-text.ts'

export interface PoolMemory {
  readonly totalBytes: number
  /** Bytes that can be allocated now. Includes droppable page cache, but no swap. */
  readonly freeBytes: number
  /** Hardware name of a device. */
  readonly hardware?: string
  /** Driver version. Absent if unknown. */
  readonly driver?: string
}

/** Reads this machine's memory; undefined if the kernel does not report available memory. */
export function readHostMemory(): PoolMemory | undefined {
  return hostMemory(readText('/proc/meminfo') ?? '', ownControlGroups())
}

/** Returns the memory from the text of `/proc/meminfo` and the control groups. The least free memory counts. */
export function hostMemory(meminfo: string, groups: readonly ControlGroup[]): PoolMemory | undefined {
  const machineBytes = kilobyteField(meminfo, 'MemTotal')
  const availableBytes = kilobyteField(meminfo, 'MemAvailable')
  if (machineBytes === undefined || availableBytes === undefined) return undefined
  let [totalBytes, freeBytes] = [machineBytes, availableBytes]
  for (const group of groups) {
    const limitBytes = Math.min(bytesOf(group('memory.max')), bytesOf(group('memory.high')))
    const currentBytes = bytesOf(group('memory.current'))
    if (!Number.isFinite(limitBytes) || !Number.isFinite(currentBytes)) continue
    totalBytes = Math.min(totalBytes, limitBytes)
    freeBytes = Math.min(freeBytes, limitBytes - currentBytes + fileCacheBytes(group('memory.stat') ?? ''))
  }
  return { totalBytes, freeBytes: Math.max(0, Math.min(freeBytes, totalBytes)) }
}

/**
 * Returns the page cache that the kernel can drop, as in MemAvailable. Includes the active part, where files read twice
 * stay even after their process has ended.
 */
function fileCacheBytes(stat: string): number {
  const pages = stat.matchAll(/^(?:active|inactive)_file (\d+)$/gm)
  return [...pages].reduce((sum, [, bytes]) => sum + Number(bytes), 0)
}

/** Returns the bytes. Infinity for `max` and for a missing file, both of which mean no limit. */
function bytesOf(text: string | undefined): number {
  return text !== undefined && /^\d+\s*$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
}

function kilobyteField(text: string, name: string): number | undefined {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}
