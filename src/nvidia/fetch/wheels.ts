/**
 * NVIDIA's wheels that `inferd gpu install` fetches. Versions and checksums are pinned here, or in a file of the
 * operator.
 */

export interface WheelPin {
  readonly name: string
  readonly version: string
  readonly sha256: string
}

/** Approximate sizes in bytes, shown before anything is fetched. */
export interface WheelSizes {
  readonly wheelBytes: number
  readonly unpackedBytes: number
}

const mega = 1e6

const architectures: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' }

/** Returns this machine's architecture as in the names of wheels. */
export function wheelArchitecture(): string {
  return architectures[process.arch] ?? process.arch
}

/** Wheels of Toolkit 13.0, the oldest of CUDA 13, which every driver from 580 on runs. */
export const wheelTable: readonly (WheelPin & WheelSizes)[] = [
  {
    name: 'nvidia-cuda-runtime',
    version: '13.0.96',
    sha256: '7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548',
    wheelBytes: 2_243_632,
    unpackedBytes: 704_288,
  },
  {
    name: 'nvidia-cublas',
    version: '13.1.1.3',
    sha256: '37936a16db8fe4ac1f065c2139360608a543a09275cb1a1af612e08cfa065436',
    wheelBytes: 423 * mega,
    unpackedBytes: 596 * mega,
  },
  {
    name: 'nvidia-curand',
    version: '10.4.0.35',
    sha256: '1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc',
    wheelBytes: 60 * mega,
    unpackedBytes: 133 * mega,
  },
  {
    name: 'nvidia-cudnn-cu13',
    version: '9.24.0.43',
    sha256: '71f181cd810e90f9b6023b01186fe82d13d65f0ec098581ee201d39fad769e4b',
    wheelBytes: 553 * mega,
    unpackedBytes: 965 * mega,
  },
  {
    name: 'nvidia-cuda-nvrtc',
    version: '13.0.88',
    sha256: 'ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575',
    wheelBytes: 90 * mega,
    unpackedBytes: 113 * mega,
  },
  {
    name: 'nvidia-cufft',
    version: '12.0.0.61',
    sha256: '6c44f692dce8fd5ffd3e3df134b6cdb9c2f72d99cf40b62c32dde45eea9ddad3',
    wheelBytes: 214 * mega,
    unpackedBytes: 287 * mega,
  },
]

const basic: readonly string[] = ['nvidia-cuda-runtime', 'nvidia-cublas', 'nvidia-curand']
/** With nvrtc, by which cuDNN's engines compile kernels. */
const withCudnn: readonly string[] = [...basic, 'nvidia-cudnn-cu13', 'nvidia-cuda-nvrtc', 'nvidia-cufft']

/** Returns the wheels to fetch, in the versions of `own` if it pins them: their sizes are similar. */
export function wantedWheels(hasCudnn: boolean, own: readonly WheelPin[] = []): (WheelPin & WheelSizes)[] {
  const names = hasCudnn ? withCudnn : basic
  const rows = wheelTable.filter(({ name }) => names.includes(name))
  return rows.map((row) => ({ ...row, ...own.find((pin) => pin.name === row.name) }))
}

/** Error of an unreadable file of pins. The message completes "<file> …". */
export class PinsError extends Error {
  override name = 'PinsError'
}

/** Reads pip requirements with checksums: `nvidia-cublas==13.1.1.3 --hash=sha256:…`. Throws PinsError. */
export function readPins(text: string): WheelPin[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n')
  return lines.flatMap((line, index): WheelPin[] => {
    const words = line.replace(/(^|\s)#.*/, '').trim()
    if (words === '') return []
    const [, name, version, sha256] =
      /^([A-Za-z0-9._-]+)\s*==\s*([A-Za-z0-9.+!_-]+)\s+--hash=sha256:([0-9a-f]{64})$/.exec(words) ?? []
    const known = wheelTable.find((row) => row.name === name?.toLowerCase().replaceAll(/[._-]+/g, '-'))
    if (known === undefined || version === undefined || sha256 === undefined)
      throw new PinsError(
        `says in line ${index + 1} what is no wheel of NVIDIA with its sum; write nvidia-cublas==VERSION --hash=sha256:SUM`,
      )
    return [{ name: known.name, version, sha256 }]
  })
}
