/** Properties of NVIDIA's cards that decide which code they run. */
import { type NvidiaSmiOptions, nvidiaSmi } from './nvidia-smi.ts'

export interface NvidiaCard {
  readonly uuid: string
  readonly name: string
  readonly driver: string
  /** Such as `9.0`. */
  readonly computeCapability: string
  /** `Enabled`, `Disabled`, or `[N/A]`. */
  readonly migMode: string
}

/** Returns the cards; none if `nvidia-smi` is missing, fails or takes too long. */
export async function readNvidiaCards(options: NvidiaSmiOptions): Promise<readonly NvidiaCard[]> {
  const words = ['--query-gpu=uuid,name,driver_version,compute_cap,mig.mode.current', '--format=csv,noheader,nounits']
  const printed = await nvidiaSmi(options, words)()
  return typeof printed === 'string' ? [] : parseCards(printed.text)
}

export function parseCards(text: string): readonly NvidiaCard[] {
  return text.split('\n').flatMap((line) => {
    const [uuid, name, driver, computeCapability, migMode] = line.split(',').map((part) => part.trim())
    if (uuid === undefined || name === undefined || driver === undefined) return []
    return [{ uuid, name, driver, computeCapability: computeCapability ?? '', migMode: migMode ?? '' }]
  })
}
