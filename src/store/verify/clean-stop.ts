/** Marks in a data folder that tell a server whether the last one stopped cleanly. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FileError, statFile } from '../../catalog/stat-file.ts'

/** Returns the mark of a running server. */
function markPath(dataDir: string): string {
  return join(dataDir, 'models', '.running')
}

function stopPath(dataDir: string): string {
  return join(dataDir, 'models', '.stopped')
}

/**
 * Marks the start of a run; requires the server lock. Returns the time after which written files may not have reached
 * the disk: infinite after a clean stop, else the time of the last clean stop, 0 if there was none.
 */
export function beginRun(dataDir: string): number {
  mkdirSync(join(dataDir, 'models'), { recursive: true, mode: 0o700 })
  const isUnclean = statFile(markPath(dataDir)) !== undefined
  writeFileSync(markPath(dataDir), '', { mode: 0o600 })
  return isUnclean ? lastStop(dataDir) : Number.POSITIVE_INFINITY
}

/** Marks a clean stop. */
export function endRun(dataDir: string, nowMs: number): void {
  try {
    writeFileSync(stopPath(dataDir), String(nowMs), { mode: 0o600 })
    rmSync(markPath(dataDir), { force: true })
  } catch {
    // The disk is full, or the folder is gone: then the next start takes this for an unclean stop.
  }
}

function lastStop(dataDir: string): number {
  const path = stopPath(dataDir)
  const found = statFile(path)
  if (found === undefined || found instanceof FileError) return 0
  const stoppedAtMs = Number(readFileSync(path, 'utf8'))
  return Number.isFinite(stoppedAtMs) ? stoppedAtMs : 0
}
