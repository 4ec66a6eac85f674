/** Memory, load, temperature and power of AMD devices from files of the kernel driver amdgpu. */

import { join } from 'node:path'
import { namesIn } from '../core/names-in.ts'
import type { DeviceFigures } from './device-figures.ts'
import { readText } from './read-text.ts'

const vendor = '0x1002'
/** Least memory of a device. Engines use host memory for smaller ones, such as those inside processors. */
const leastBytes = 2 ** 30

/** Returns devices with dedicated memory, in the kernel's order; none if the driver is absent. */
export function readAmdFigures(folder = '/sys/class/drm'): readonly DeviceFigures[] {
  return namesIn(folder)
    .filter((name) => /^card\d+$/.test(name))
    .sort((a, b) => Number(a.slice(4)) - Number(b.slice(4)))
    .flatMap((name) => figuresOf(join(folder, name, 'device')))
    .map((figures, index) => ({ ...figures, id: `gpu${index}` }))
}

function figuresOf(device: string): Omit<DeviceFigures, 'id'>[] {
  if (readText(join(device, 'vendor'))?.trim() !== vendor) return []
  const totalBytes = numberIn(join(device, 'mem_info_vram_total'))
  const usedBytes = numberIn(join(device, 'mem_info_vram_used'))
  if (totalBytes === undefined || totalBytes < leastBytes) return []
  const sensors = join(device, 'hwmon', namesIn(join(device, 'hwmon'))[0] ?? '')
  const power = numberIn(join(sensors, 'power1_average')) ?? numberIn(join(sensors, 'power1_input'))
  const temperature = numberIn(join(sensors, 'temp1_input'))
  return [
    {
      uuid: device,
      name: readText(join(device, 'product_name'))?.trim() || 'AMD graphics card',
      kind: 'amd',
      totalBytes,
      freeBytes: usedBytes === undefined ? undefined : Math.max(0, totalBytes - usedBytes),
      loadPercent: numberIn(join(device, 'gpu_busy_percent')),
      // The kernel counts in thousandths of a degree and millionths of a watt.
      temperatureC: temperature === undefined ? undefined : temperature / 1_000,
      powerW: power === undefined ? undefined : power / 1_000_000,
      processBytes: new Map(),
    },
  ]
}

function numberIn(path: string): number | undefined {
  const text = readText(path)?.trim() ?? ''
  return /^\d+$/.test(text) ? Number(text) : undefined
}
