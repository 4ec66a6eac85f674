/** Power spectra of two real signals of the same length, computed as the real and the imaginary part of one signal. */
interface PairedSpectra {
  /** Overwritten by `transform`. */
  readonly first: Float64Array
  readonly second: Float64Array
  /** Power of both signals at the frequencies 0 to size / 2 - 1. */
  readonly firstPower: Float64Array
  readonly secondPower: Float64Array
  transform(): void
}

/** Creates a radix-2 fast Fourier transform of `size` numbers, a power of two. */
export function pairedSpectra(size: number): PairedSpectra {
  const real = new Float64Array(size)
  const imaginary = new Float64Array(size)
  const half = size / 2
  const cosines = Float64Array.from({ length: half }, (_, index) => Math.cos((2 * Math.PI * index) / size))
  const sines = Float64Array.from({ length: half }, (_, index) => Math.sin((2 * Math.PI * index) / size))
  const reversed = reversedBits(size)
  const firstPower = new Float64Array(half)
  const secondPower = new Float64Array(half)
  const at = (numbers: Float64Array, index: number) => numbers[index] as number // every index below is in range
  const transform = () => {
    for (let index = 0; index < size; index++) {
      const other = reversed[index] as number
      if (other <= index) continue
      const [re, im] = [at(real, index), at(imaginary, index)]
      real[index] = at(real, other)
      imaginary[index] = at(imaginary, other)
      real[other] = re
      imaginary[other] = im
    }
    for (let width = 1; width < size; width *= 2) {
      const stride = half / width
      for (let start = 0; start < size; start += 2 * width) {
        for (let offset = 0; offset < width; offset++) {
          const low = start + offset
          const high = low + width
          const cosine = at(cosines, offset * stride)
          const sine = at(sines, offset * stride)
          const re = at(real, high) * cosine + at(imaginary, high) * sine
          const im = at(imaginary, high) * cosine - at(real, high) * sine
          real[high] = at(real, low) - re
          imaginary[high] = at(imaginary, low) - im
          real[low] = at(real, low) + re
          imaginary[low] = at(imaginary, low) + im
        }
      }
    }
    firstPower[0] = at(real, 0) ** 2
    secondPower[0] = at(imaginary, 0) ** 2
    for (let index = 1; index < half; index++) {
      const mirrored = size - index
      const evenReal = at(real, index) + at(real, mirrored)
      const oddImaginary = at(imaginary, index) - at(imaginary, mirrored)
      const oddReal = at(real, index) - at(real, mirrored)
      const evenImaginary = at(imaginary, index) + at(imaginary, mirrored)
      firstPower[index] = (evenReal * evenReal + oddImaginary * oddImaginary) / 4
      secondPower[index] = (oddReal * oddReal + evenImaginary * evenImaginary) / 4
    }
  }
  return { first: real, second: imaginary, firstPower, secondPower, transform }
}

function reversedBits(size: number): Uint32Array {
  const bits = Math.log2(size)
  return Uint32Array.from({ length: size }, (_, index) => {
    let reversed = 0
    for (let bit = 0; bit < bits; bit++) reversed |= ((index >> bit) & 1) << (bits - 1 - bit)
    return reversed
  })
}
