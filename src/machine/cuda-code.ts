/** Code for NVIDIA's cards in a library, read from the file without loading or running anything. */
import { closeSync, openSync } from 'node:fs'
import { readBytes, readElfSections } from './elf-sections.ts'

export interface CudaCode {
  /** Compute capabilities with machine code in the library, without the dot, ascending: `90`, `120a`. */
  readonly machineCode: readonly string[]
  /** PTX code, which the driver compiles for a card, ascending by architecture. */
  readonly ptx: readonly PtxCode[]
  /** Major version of the CUDA libraries that the library opens, such as 13. Undefined if it opens none. */
  readonly cudaMajor?: number | undefined
}

interface PtxCode {
  /** Least compute capability of cards that can use the code. With `a`, the only one. */
  readonly architecture: string
  /** Version of the PTX language, such as `9.1`. A driver compiles no newer one than its own. */
  readonly version: string
}

/** Code of one kernel file for one architecture. */
export interface CudaEntry {
  readonly kind: 'machine code' | 'ptx'
  readonly architecture: string
  /** Version of the PTX language. Meaningless for machine code. */
  readonly version: string
  /** Offset of the code's first byte in the file. */
  readonly offset: number
  readonly sizeBytes: number
}

const sectionNames = ['.nv_fatbin', '__nv_relfatbin']
const containerMagic = 0xba55ed50
const containerHeaderBytes = 16
const entryHeaderBytes = 64
/** Containers begin at multiples of this number. */
const alignmentBytes = 8
const kinds: Readonly<Record<number, CudaEntry['kind']>> = { 1: 'ptx', 2: 'machine code' }
/** Suffixes by the flags' third byte, for code with features of only one card, or of one family. */
const suffixes: Readonly<Record<number, string>> = { 16: 'a', 32: 'f' }

/** Returns the CUDA code of a library, program or object file; empty lists if there is none. Throws for other files. */
export function readCudaCode(file: string): CudaCode {
  const machineCode = new Set<string>()
  const ptx = new Map<string, PtxCode>()
  for (const { kind, architecture, version } of readCudaEntries(file)) {
    if (kind === 'machine code') machineCode.add(architecture)
    else ptx.set(`${architecture} ${version}`, { architecture, version })
  }
  return {
    machineCode: [...machineCode].sort(byNumber),
    ptx: [...ptx.values()].sort((first, second) => byNumber(first.architecture, second.architecture)),
    cudaMajor: readCudaMajor(file),
  }
}

/** Reads the major version of CUDA from the string table, which names the libraries for the loader. */
function readCudaMajor(file: string): number | undefined {
  const descriptor = openSync(file, 'r')
  try {
    const strings = readElfSections(descriptor)?.find(({ name }) => name === '.dynstr')
    if (strings === undefined) return undefined
    const text = readBytes(descriptor, strings.offset, strings.sizeBytes).toString('latin1')
    const major = /\0libcu(?:dart|blas)\.so\.(\d+)\0/.exec(text)?.[1]
    return major === undefined ? undefined : Number(major)
  } finally {
    closeSync(descriptor)
  }
}

/** Returns every piece of code in the order of the file. */
export function readCudaEntries(file: string): CudaEntry[] {
  const descriptor = openSync(file, 'r')
  try {
    const sections = readElfSections(descriptor)
    if (sections === undefined) throw new Error(`${file} is not a 64-bit library or program for Linux`)
    return sections
      .filter(({ name }) => sectionNames.includes(name))
      .flatMap(({ offset, sizeBytes }) => containerEntries(descriptor, offset, offset + sizeBytes))
  } finally {
    closeSync(descriptor)
  }
}

/** Reads only headers, since a library has hundreds of megabytes of code. */
function containerEntries(descriptor: number, start: number, end: number): CudaEntry[] {
  const entries: CudaEntry[] = []
  let at = start
  while (at + containerHeaderBytes <= end) {
    const header = readBytes(descriptor, at, containerHeaderBytes)
    if (header.length < containerHeaderBytes) break
    if (header.readUInt32LE(0) !== containerMagic) {
      at += alignmentBytes // between containers
      continue
    }
    const first = at + header.readUInt16LE(6)
    const after = first + Number(header.readBigUInt64LE(8))
    entries.push(...entriesBetween(descriptor, first, Math.min(after, end)))
    at = Math.max(after, at + containerHeaderBytes)
  }
  return entries
}

function entriesBetween(descriptor: number, start: number, end: number): CudaEntry[] {
  const entries: CudaEntry[] = []
  let at = start
  while (at + entryHeaderBytes <= end) {
    const header = readBytes(descriptor, at, entryHeaderBytes)
    if (header.length < entryHeaderBytes) break
    const headerSizeBytes = header.readUInt32LE(4)
    const sizeBytes = Number(header.readBigUInt64LE(8))
    const kind = kinds[header.readUInt16LE(0)]
    if (headerSizeBytes < entryHeaderBytes) break
    const offset = at + headerSizeBytes
    if (kind !== undefined) {
      const architecture = `${header.readUInt32LE(28)}${suffixes[header.readUInt8(42)] ?? ''}`
      entries.push({
        kind,
        architecture,
        version: `${header.readUInt16LE(26)}.${header.readUInt16LE(24)}`,
        offset,
        sizeBytes,
      })
    }
    at = offset + sizeBytes
  }
  return entries
}

function byNumber(first: string, second: string): number {
  return first.localeCompare(second, 'en', { numeric: true })
}
