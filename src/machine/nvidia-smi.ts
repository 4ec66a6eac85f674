/**
 * NVIDIA devices as reported by `nvidia-smi`. Runs in a child process, because a call into a failing driver may never
 * return, and the library itself would take memory on every device.
 */
import { within } from '../core/within.ts'
import type { PoolMemory } from './host-memory.ts'

interface Device {
  readonly uuid: string
  /** Memory of the device. `host` if it uses the machine's. */
  readonly memory: PoolMemory | 'unknown' | 'host'
}

/** Devices. `unknown` if not even their number is known. */
type NvidiaDevices = readonly Device[] | 'unknown'

const queryWords = [
  '--query-gpu=uuid,name,driver_version,mig.mode.current,memory.total,memory.free',
  '--format=csv,noheader,nounits',
]

/** Exit codes without devices: none found, no driver, no library. */
const noDeviceCodes: readonly (number | null)[] = [6, 9, 12]

const usualLimitMs = 2_000
/** Most bytes read. The program prints one line for each device. */
const outputLimitBytes = 64 * 1024

export interface NvidiaSmiOptions {
  /** Folders to search for programs. Defaults to this process's PATH. */
  readonly path?: string | undefined
  /** Variables of the child, which show where the driver's libraries are. */
  readonly environment: Readonly<Record<string, string>>
  /** Time limit. Defaults to 2 seconds. */
  readonly limitMs?: number
}

/**
 * Queries devices by running `nvidia-smi` for up to 2 seconds. Without that program there are no devices. While a
 * killed child still hangs in the driver, no other is started, so that they do not pile up.
 */
export function deviceQuery(options: NvidiaSmiOptions): () => Promise<NvidiaDevices> {
  const ask = nvidiaSmi(options, queryWords)
  return async () => {
    const answer = await ask()
    return typeof answer === 'string' ? (answer === 'none' ? [] : 'unknown') : parseDevices(answer.text)
  }
}

/** Output. `none`: this machine has no such devices. `unknown`: the program failed or took too long. */
type Printed = { readonly text: string } | 'none' | 'unknown'

/** Returns a function that runs `nvidia-smi` with these arguments. */
export function nvidiaSmi(
  { path, environment, limitMs = usualLimitMs }: NvidiaSmiOptions,
  words: readonly string[],
): () => Promise<Printed> {
  let isStuck = false
  return async () => {
    if (isStuck) return 'unknown'
    const program = Bun.which('nvidia-smi', path === undefined ? {} : { PATH: path })
    if (program === null) return 'none'
    try {
      const child = Bun.spawn([program, ...words], {
        env: { ...environment, LC_ALL: 'C' },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'ignore',
        timeout: limitMs,
        killSignal: 'SIGKILL',
        maxBuffer: outputLimitBytes,
      })
      child.unref()
      const ended = Promise.all([child.exited, new Response(child.stdout).text()])
      const outcome = await within(ended, limitMs + 200, () => undefined)
      if (outcome === undefined) {
        isStuck = true
        const end = () => {
          isStuck = false
        }
        ended.then(end, end)
        return 'unknown'
      }
      const [exitCode, text] = outcome
      if (exitCode === 0) return { text }
      return noDeviceCodes.includes(exitCode) ? 'none' : 'unknown'
    } catch {
      return 'unknown' // the system has no process or no descriptor left
    }
  }
}

/** Returns devices from the output's lines, in their order. */
export function parseDevices(text: string): NvidiaDevices {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const devices = lines.map((line) => line.split(',').map((field) => field.trim())).map(toDevice)
  return devices.includes(undefined) ? 'unknown' : devices.filter((device) => device !== undefined)
}

function toDevice([uuid, name, driver, mig, total = '', free = '', ...rest]: readonly string[]): Device | undefined {
  if (uuid === undefined || !/^GPU-[\w-]+$/.test(uuid) || rest.length > 0) return undefined
  if (/^\[?(N\/A|Not Supported)\]?$/.test(total)) return { uuid, memory: 'host' }
  // Programs see only a slice of a MIG device, and the device's free memory does not show the slice's.
  const isSliced = mig === 'Enabled'
  const [totalBytes, freeBytes] = [total, free].map(mebibytes)
  const isKnown = !isSliced && totalBytes !== undefined && freeBytes !== undefined && freeBytes <= totalBytes
  const hardware = `${name}, driver ${driver}`
  return { uuid, memory: isKnown ? { totalBytes, freeBytes, hardware, ...(driver && { driver }) } : 'unknown' }
}

function mebibytes(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) * 2 ** 20 : undefined
}

/** Returns the devices that engines see, in order, by CUDA's rules for `CUDA_VISIBLE_DEVICES`. Undefined means all. */
export function visibleDevices<Named extends Pick<Device, 'uuid'>>(
  devices: readonly Named[],
  variable: string | undefined,
): readonly Named[] {
  if (variable === undefined) return devices
  const visible: Named[] = []
  for (const name of variable.split(',').map((each) => each.trim())) {
    const named = /^\d+$/.test(name) ? devices[Number(name)] : devices.find(({ uuid }) => startsWith(uuid, name))
    if (named === undefined || visible.includes(named)) break // it ignores all that follow
    visible.push(named)
  }
  return visible
}

function startsWith(uuid: string, name: string): boolean {
  return name.startsWith('GPU-') && uuid.startsWith(name)
}
