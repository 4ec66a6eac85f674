import { readCudaCode } from '../../machine/cuda-code.ts'

/** Names the architectures that a library has code for: `86, 89, 120a; PTX 75, 90`; `-` where it has none of CUDA's. */
export function codeText(library: string): string {
  try {
    const { machineCode, ptx } = readCudaCode(library)
    const compiled = machineCode.length === 0 ? [] : [machineCode.join(', ')]
    const portable = ptx.length === 0 ? [] : [`PTX ${ptx.map(({ architecture }) => architecture).join(', ')}`]
    return [...compiled, ...portable].join('; ') || '-'
  } catch {
    return '-'
  }
}
