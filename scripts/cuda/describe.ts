import { type CudaCode, readCudaCode } from '../../src/machine/cuda-code.ts'

/** First driver that compiled each version of PTX. */
const driverOfPtx: Readonly<Record<string, string>> = { '9.0': '580', '9.1': '590', '9.2': '595', '9.3': '610' }

/** Returns a line about the cards that a library supports, read from the file. Throws if it has code for none. */
export function describeCudaCode(file: string): string {
  const code = readCudaCode(file)
  if (code.machineCode.length === 0 && code.ptx.length === 0) throw new Error(`${file} has no code for NVIDIA's cards`)
  const parts = [machineCodePart(code), ...ptxParts(code)]
  return parts.filter((part) => part !== '').join('; ')
}

function machineCodePart({ machineCode }: CudaCode): string {
  return machineCode.length === 0 ? '' : `machine code for ${machineCode.join(', ')}`
}

/** Returns the parts about cards without machine code, which need the driver's compiler. */
function ptxParts({ machineCode, ptx }: CudaCode): string[] {
  const versions = [...new Set(ptx.map(({ version }) => version))]
  return versions.map((version) => {
    const all = ptx.filter((each) => each.version === version).map(({ architecture }) => architecture)
    const alone = all.filter((architecture) => !machineCode.includes(architecture))
    const cards =
      alone.length === 0 ? `cards newer than ${all.at(-1)}` : `${alone.join(', ')} and newer cards without their own`
    const driver = driverOfPtx[version]
    const needed = driver === undefined ? `a driver that compiles PTX ${version}` : `driver ${driver} or newer`
    return `${cards} need ${needed}`
  })
}
