/** Zero crossings of the sinc on each side. */
const crossings = 24

/** Changes the sample rate by a windowed sinc (Hann). A table holds the few phases that occur. */
export function resample(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  const divisor = greatestCommonDivisor(fromHz, toHz)
  const [step, phases] = [fromHz / divisor, toHz / divisor]
  const cutoff = Math.min(1, toHz / fromHz)
  const half = Math.ceil(crossings / cutoff)
  const tables = Array.from({ length: phases }, (_, phase) => phaseTable(phase / phases, cutoff, half))
  const result = new Float32Array(Math.ceil((samples.length * phases) / step))
  for (let index = 0; index < result.length; index++) {
    const position = index * step
    const first = Math.floor(position / phases) - half + 1
    const table = tables[position % phases] ?? new Float32Array()
    let sum = 0
    for (let tap = 0; tap < table.length; tap++) sum += (table[tap] ?? 0) * (samples[first + tap] ?? 0)
    result[index] = sum
  }
  return result
}

function phaseTable(fraction: number, cutoff: number, half: number): Float32Array {
  return Float32Array.from({ length: 2 * half }, (_, tap) => {
    const distance = tap - half + 1 - fraction
    const angle = Math.PI * distance * cutoff
    const sinc = angle === 0 ? 1 : Math.sin(angle) / angle
    return cutoff * sinc * Math.cos((Math.PI * distance) / (2 * half)) ** 2
  })
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
