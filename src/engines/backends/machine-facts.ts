/** Facts of this machine that explain a failed probe, and for which a remembered probe is valid. */
import { statSync } from 'node:fs'
import { type CudaCode, readCudaCode } from '../../machine/cuda-code.ts'
import { type GpuSigns, readGpuSigns, usualPlaces } from '../../machine/gpu-signs.ts'
import { type NvidiaCard, readNvidiaCards } from '../../machine/nvidia-cards.ts'
import { visibleDevices } from '../../machine/nvidia-smi.ts'

export interface MachineFacts {
  signs(): GpuSigns
  /** Compute capabilities of NVIDIA's cards, as of the last `machineKey`. */
  capabilities(): readonly string[]
  /** Number of NVIDIA's cards that engines see, as of the last `machineKey`. */
  cardCount(): number
  /** Undefined if the file cannot be read or holds no CUDA code. */
  codeOf(library: string): CudaCode | undefined
  /** Changes with driver, cards, library and visible devices. */
  machineKey(library: string | undefined): Promise<string>
  /** Forgets all facts, so that they are read again: a driver may have been installed. */
  forget(): void
}

/** Variables that choose devices or libraries. */
const variables = [
  'CUDA_VISIBLE_DEVICES',
  'GGML_VK_VISIBLE_DEVICES',
  'LD_LIBRARY_PATH',
  'NVIDIA_VISIBLE_DEVICES',
  'VK_ICD_FILENAMES',
  'VK_DRIVER_FILES',
]

/** Creates the reader of the machine's facts. `environment` is the environment of engines. */
export function machineFacts(
  environment: Readonly<Record<string, string>>,
  readSigns = () => readGpuSigns(usualPlaces(environment.LD_LIBRARY_PATH)),
  readCards: () => Promise<readonly NvidiaCard[]> = () => readNvidiaCards({ environment }),
): MachineFacts {
  let signs: GpuSigns | undefined
  let cards: readonly NvidiaCard[] | undefined
  const codes = new Map<string, CudaCode | undefined>()
  const hashes = new Map<string, string>()
  return {
    signs: () => {
      signs ??= readSigns()
      return signs
    },
    capabilities: () => [...new Set(cards?.map(({ computeCapability }) => computeCapability))],
    cardCount: () => visibleDevices(cards ?? [], environment.CUDA_VISIBLE_DEVICES).length,
    codeOf: (library) => {
      if (!codes.has(library)) codes.set(library, codeIn(library))
      return codes.get(library)
    },
    machineKey: async (library) => {
      cards ??= await readCards()
      signs ??= readSigns()
      if (library !== undefined && !hashes.has(library)) hashes.set(library, await hashOf(library))
      const chosen = variables.map((name) => environment[name] ?? '')
      return JSON.stringify([signs.nvidiaDriver ?? '', cards, library && hashes.get(library), chosen])
    },
    forget: () => {
      signs = undefined
      cards = undefined
      hashes.clear()
      codes.clear()
    },
  }
}

function codeIn(library: string): CudaCode | undefined {
  try {
    const code = readCudaCode(library)
    return code.machineCode.length === 0 && code.ptx.length === 0 ? undefined : code
  } catch {
    return undefined
  }
}

/** Returns the SHA-256 of a file, read in pieces because libraries can have hundreds of megabytes. */
async function hashOf(file: string): Promise<string> {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return ''
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const bytes of Bun.file(file).stream()) hasher.update(bytes)
  return hasher.digest('hex')
}
