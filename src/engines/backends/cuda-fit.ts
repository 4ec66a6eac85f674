/** Determines from a library's code which cards and drivers can run it. Pure. */
import type { CudaCode } from '../../machine/cuda-code.ts'

/** Oldest drivers by the version of PTX that they compile, ascending. */
const driversByPtx: readonly (readonly [version: string, driver: string])[] = [
  ['8.0', '525'],
  ['8.2', '535'],
  ['8.4', '550'],
  ['8.7', '570'],
  ['8.8', '575'],
  ['9.0', '580'],
  ['9.1', '590.44'],
  ['9.2', '595.45'],
  ['9.3', '610.43'],
]

/** Oldest drivers that run machine code, by the major version of CUDA. */
const driversByCuda: Readonly<Record<number, string>> = { 12: '525', 13: '580' }

/** Returns whether the driver must compile kernels: the library has PTX but no machine code for one of the cards. */
export function compilesFor(capabilities: readonly string[], code: CudaCode | undefined): boolean {
  if (code === undefined) return false
  return capabilities.some((capability) => !hasMachineCode(code, capability) && hasPtx(code, capability))
}

/**
 * Returns the oldest driver with which a library computes on these cards. Undefined if that is unknown, as for PTX
 * that is newer than this program.
 */
export function neededDriver(capabilities: readonly string[], code: CudaCode | undefined): string | undefined {
  if (code === undefined) return undefined
  if (!compilesFor(capabilities, code)) return driversByCuda[code.cudaMajor ?? 0]
  const versions = code.ptx.map(({ version }) => version).sort(byVersion)
  const newest = versions.at(-1) ?? ''
  return driversByPtx.find(([version]) => byVersion(version, newest) >= 0)?.[1]
}

function hasMachineCode({ machineCode }: CudaCode, capability: string): boolean {
  return machineCode.some((architecture) => runsOn(architecture, capability, 'same major version'))
}

function hasPtx({ ptx }: CudaCode, capability: string): boolean {
  return ptx.some(({ architecture }) => runsOn(architecture, capability, 'any newer card'))
}

/**
 * Returns whether code runs on a card. Architectures with the letter `a` run only on that card, with `f` on its
 * family.
 */
function runsOn(architecture: string, capability: string, reach: 'same major version' | 'any newer card'): boolean {
  const [major = 0, minor = 0] = capability.split('.').map(Number)
  const card = major * 10 + minor
  const number = Number.parseInt(architecture, 10)
  if (architecture.endsWith('a')) return number === card
  const isOfMajor = Math.floor(number / 10) === major
  return number <= card && (isOfMajor || (reach === 'any newer card' && !architecture.endsWith('f')))
}

function byVersion(first: string, second: string): number {
  return first.localeCompare(second, 'en', { numeric: true })
}
