/**
 * NVIDIA's devices as `nvidia-smi` tells them. It runs as a child: a call into a sick driver may never return, and the library
 * in our own process would keep memory of every device.
 */
import type { PoolMemory } from './host-memory.ts'

export interface Device {
  readonly uuid: string
  /** `host`: it has no memory of its own and uses the machine's. */
  readonly memory: PoolMemory | 'unknown' | 'host'
}

/** `unknown`: nothing can be said, not even how many there are. */
type NvidiaDevices = readonly Device[] | 'unknown'

const queryWords = [
  '--query-gpu=uuid,name,driver_version,mig.mode.current,memory.total,memory.free',
  '--format=csv,noheader,nounits',
]

/** Exit codes of a system without devices: none found, no driver, no library. */
const noDeviceCodes: readonly (number | null)[] = [6, 9, 12]

const usualLimitMs = 2_000
/** What it prints is a line for each device. */
const outputLimitBytes = 64 * 1024

export interface NvidiaSmiOptions {
  /** Folders where programs are looked for; this process's own if it is not given. */
  readonly path?: string | undefined
  /** Variables that the child gets: where the driver's libraries lie. */
  readonly environment: Readonly<Record<string, string>>
  /** How long it may take, 2 seconds unless it is given. */
  readonly limitMs?: number
}

/**
 * Asks by running `nvidia-smi` for up to 2 seconds. Without the program there are no devices. As long as one does not end although
 * it was killed, since it waits in the driver, no other is started: such processes would pile up.
 */
export function deviceQuery(options: NvidiaSmiOptions): () => Promise<NvidiaDevices> {
  const ask = nvidiaSmi(options, queryWords)
  return async () => {
    const answer = await ask()
    return typeof answer === 'string' ? (answer === 'none' ? [] : 'unknown') : parseDevices(answer.text)
  }
}

/** What it printed; `none`: this machine has no such devices; `unknown`: it failed, or took too long. */
type Printed = { readonly text: string } | 'none' | 'unknown'

/** Runs `nvidia-smi` with these words, as `deviceQuery` does. */
export function nvidiaSmi(
  { path, environment, limitMs = usualLimitMs }: NvidiaSmiOptions,
  words: readonly string[],
): () => Promise<Printed> {
  let isStuck = false
  return async () => {
    if (isStuck) return 'unknown'
    const program = Bun.which('nvidia-smi', path === undefined ? {} : { PATH: path })
    if (program === null) return 'none'
    const { promise: deadline, resolve: giveUp } = Promise.withResolvers<undefined>()
    const timer = setTimeout(giveUp, limitMs + 200)
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
      const outcome = await Promise.race([ended, deadline])
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
    } finally {
      clearTimeout(timer)
    }
  }
}

/** From its lines, in the order of the devices. */
export function parseDevices(text: string): NvidiaDevices {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const devices = lines.map((line) => line.split(',').map((field) => field.trim())).map(toDevice)
  return devices.includes(undefined) ? 'unknown' : devices.filter((device) => device !== undefined)
}

function toDevice([uuid, name, driver, mig, total = '', free = '', ...rest]: readonly string[]): Device | undefined {
  if (uuid === undefined || !/^GPU-[\w-]+$/.test(uuid) || rest.length > 0) return undefined
  if (/^\[?(N\/A|Not Supported)\]?$/.test(total)) return { uuid, memory: 'host' }
  // A program sees one slice of such a device. What is free on the whole says nothing about it.
  const isSliced = mig === 'Enabled'
  const [totalBytes, freeBytes] = [total, free].map(mebibytes)
  const isKnown = !isSliced && totalBytes !== undefined && freeBytes !== undefined && freeBytes <= totalBytes
  const hardware = `${name}, driver ${driver}`
  return { uuid, memory: isKnown ? { totalBytes, freeBytes, hardware, ...(driver && { driver }) } : 'unknown' }
}

function mebibytes(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) * 2 ** 20 : undefined
}

/** Those that engines see, in their order, as CUDA reads `CUDA_VISIBLE_DEVICES`; undefined: all. */
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
