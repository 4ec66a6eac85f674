/** Last installed bundle of each key. An older one would revert its changes. */
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { readNote } from '../../catalog/notes.ts'
import { statFile } from '../../catalog/stat-file.ts'
import { lockTarget, type TargetLock } from '../download/target-lock.ts'
import { writeDurably } from '../durable.ts'
import { BundleError } from './manifest.ts'

const schema = Type.Object({ serials: Type.Record(Type.String(), Type.Integer({ minimum: 1 })) })

function file(dataDir: string): string {
  return join(dataDir, 'bundles.json')
}

/** Returns the highest installed serial by key text. Throws BundleError if the file is damaged. */
export function installedSerials(dataDir: string): Readonly<Record<string, number>> {
  const path = file(dataDir)
  if (statFile(path) === undefined) return {}
  const found = readNote(path, schema)
  if (found !== undefined) return found.serials
  throw new BundleError(`${path} is damaged; remove it to have bundles of any age installed again`)
}

/**
 * Waits until no other install changes this box, and calls `onWait` first if it has to wait. Throws the signal's
 * reason.
 */
export function lockInstalls(dataDir: string, signal: AbortSignal, onWait: () => void): Promise<TargetLock> {
  let hasWaited = false
  return lockTarget(file(dataDir), {
    signal,
    onWait() {
      if (!hasWaited) onWait()
      hasWaited = true
    },
  })
}

/** Records an installed bundle. Requires the lock of installs. */
export async function noteInstalled(dataDir: string, key: string, serial: number): Promise<void> {
  const serials = installedSerials(dataDir)
  const highest = Math.max(serial, serials[key] ?? 0)
  await writeDurably(file(dataDir), `${JSON.stringify({ serials: { ...serials, [key]: highest } }, undefined, 2)}\n`)
}
