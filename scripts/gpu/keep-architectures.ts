import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs'
import { type CudaEntry, readCudaEntries } from '../../src/machine/cuda-code.ts'

const zeros = Buffer.alloc(1024 * 1024)

/**
 * Copies a CUDA library, with zeros in place of all PTX and of the code of all other architectures. All offsets stay,
 * and the copy compresses well. Returns the number of zeroed bytes. Throws if no code would be left.
 */
export function keepArchitectures(source: string, target: string, kept: readonly string[]): number {
  const entries = readCudaEntries(source)
  const isKept = ({ kind, architecture }: CudaEntry) => kind === 'machine code' && kept.includes(architecture)
  if (!entries.some(isKept)) throw new Error(`${source} has no machine code for ${kept.join(', ')}`)
  copyFileSync(source, target)
  const descriptor = openSync(target, 'r+')
  let blankBytes = 0
  try {
    for (const entry of entries.filter((each) => !isKept(each))) {
      blank(descriptor, entry)
      blankBytes += entry.sizeBytes
    }
  } finally {
    closeSync(descriptor)
  }
  return blankBytes
}

function blank(descriptor: number, { offset, sizeBytes }: CudaEntry): void {
  for (let done = 0; done < sizeBytes; done += zeros.length) {
    writeSync(descriptor, zeros, 0, Math.min(zeros.length, sizeBytes - done), offset + done)
  }
}
