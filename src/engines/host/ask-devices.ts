/** Devices that `nvidia-smi` does not report: those that llama.cpp's libraries see, listed by a short-lived child. */
import type { Devices } from '../../machine/read-memory.ts'
import type { EngineDevice, RuntimePaths } from '../protocol/backend.ts'
import { protocolVersion } from '../protocol/messages.ts'
import { askChild } from './ask-child.ts'
import type { EngineSpawn } from './spawn-engine.ts'

/** Limit of the question, since a driver may hang. */
const limitMs = 10_000

/** Asks a child for the devices. Never rejects. */
export async function askDevices(
  spawn: EngineSpawn,
  runtime: (device: 'auto', kind: 'llama') => Promise<RuntimePaths>,
): Promise<Devices> {
  try {
    const question = {
      type: 'devices',
      version: protocolVersion,
      kind: 'llama',
      runtime: await runtime('auto', 'llama'),
    } as const
    const { signal } = new AbortController()
    const { devices } = await askChild(spawn, question, { answer: 'devices', limitMs, signal })
    return devices.map(toDevice)
  } catch {
    return 'unknown'
  }
}

export function toDevice({
  name,
  isIntegrated,
  totalBytes,
  freeBytes,
}: EngineDevice): Exclude<Devices, 'unknown'>[number] {
  if (isIntegrated) return 'host'
  return totalBytes === 0 ? 'unknown' : { totalBytes, freeBytes: Math.min(freeBytes, totalBytes), hardware: name }
}
