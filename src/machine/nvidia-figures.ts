/** Memory, load, temperature and power of NVIDIA devices, and the memory of each process, from `nvidia-smi`. */
import type { DeviceFigures, DeviceSample } from './device-figures.ts'
import { type NvidiaSmiOptions, nvidiaSmi, visibleDevices } from './nvidia-smi.ts'

const form = '--format=csv,noheader,nounits'
const deviceWords = ['--query-gpu=uuid,name,memory.total,memory.free,utilization.gpu,temperature.gpu,power.draw', form]
const processWords = ['--query-compute-apps=gpu_uuid,pid,used_gpu_memory', form]

/** Time limit of `nvidia-smi`, which hangs if the driver fails. */
const limitMs = 3_000

/** Returns a sampler of all devices that engines see; empty if there are none. Runs two children at a time. */
export function nvidiaSampler(options: Omit<NvidiaSmiOptions, 'limitMs'>): () => Promise<DeviceSample> {
  const askDevices = nvidiaSmi({ ...options, limitMs }, deviceWords)
  const askProcesses = nvidiaSmi({ ...options, limitMs }, processWords)
  return async () => {
    const [devices, processes] = await Promise.all([askDevices(), askProcesses()])
    if (devices === 'none') return []
    if (devices === 'unknown') return 'unknown'
    const rows = parseFigures(devices.text, typeof processes === 'string' ? '' : processes.text)
    if (rows === 'unknown') return rows
    const visible = visibleDevices(rows, options.environment.CUDA_VISIBLE_DEVICES)
    return visible.map((figures, index) => ({ ...figures, id: `gpu${index}` }))
  }
}

type Row = Omit<DeviceFigures, 'id'>

/** Returns the figures from the lines of both outputs, in device order. */
export function parseFigures(devices: string, processes: string): readonly Row[] | 'unknown' {
  const bytesByDevice = new Map<string, Map<number, number>>()
  for (const [uuid = '', pid = '', memory = ''] of fieldsOf(processes)) {
    const bytes = mebibytes(memory)
    if (!/^\d+$/.test(pid) || bytes === undefined) continue
    const own = bytesByDevice.get(uuid) ?? new Map<number, number>()
    bytesByDevice.set(uuid, own.set(Number(pid), (own.get(Number(pid)) ?? 0) + bytes))
  }
  const rows = fieldsOf(devices).map(([uuid = '', name = '', total = '', free = '', load, temperature, power]) => {
    const totalBytes = mebibytes(total)
    const freeBytes = mebibytes(free)
    return {
      uuid,
      name,
      kind: 'nvidia' as const,
      totalBytes,
      freeBytes: freeBytes !== undefined && freeBytes > (totalBytes ?? 0) ? undefined : freeBytes,
      loadPercent: decimal(load, 100),
      temperatureC: decimal(temperature, 200),
      powerW: decimal(power, 10_000),
      processBytes: bytesByDevice.get(uuid) ?? new Map<number, number>(),
    }
  })
  return rows.every(({ uuid }) => /^GPU-[\w-]+$/.test(uuid)) ? rows : 'unknown'
}

function fieldsOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => line.split(',').map((field) => field.trim()))
}

function mebibytes(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) * 2 ** 20 : undefined
}

/** Returns the number; undefined above the maximum, since failing drivers report impossible numbers. */
function decimal(text: string | undefined, maximum: number): number | undefined {
  const number = text !== undefined && /^\d{1,6}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  return number <= maximum ? number : undefined
}
