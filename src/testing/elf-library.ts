/** Small shared libraries for tests: headers that the loader reads, and no code. */

export interface ElfOptions {
  readonly soname: string
  /** `e_machine`; 62 is x86-64. */
  readonly machine?: number
  /** 1 is 32 bits, 2 is 64. */
  readonly elfClass?: number
  /** Bytes after the headers, to make the library larger. */
  readonly padding?: Uint8Array
}

export function elfLibrary({ soname, machine = 62, elfClass = 2, padding = new Uint8Array() }: ElfOptions): Buffer {
  const strings = Buffer.from(`\0${soname}\0`)
  const stringsAt = 64 + 2 * 56
  const dynamicAt = Math.ceil((stringsAt + strings.length) / 16) * 16
  const bytes = Buffer.alloc(dynamicAt + 3 * 16)
  bytes.set([0x7f, 0x45, 0x4c, 0x46, elfClass, 1, 1])
  bytes.writeUInt16LE(3, 16)
  bytes.writeUInt16LE(machine, 18)
  bytes.writeUInt32LE(1, 20)
  bytes.writeBigUInt64LE(64n, 32)
  bytes.writeUInt16LE(64, 52)
  bytes.writeUInt16LE(56, 54)
  bytes.writeUInt16LE(2, 56)
  const total = BigInt(bytes.length + padding.length)
  const base = 0x1000n
  writeSegment(bytes, 64, { type: 1, offset: 0n, address: base, sizeBytes: total })
  writeSegment(bytes, 64 + 56, {
    type: 2,
    offset: BigInt(dynamicAt),
    address: base + BigInt(dynamicAt),
    sizeBytes: 48n,
  })
  bytes.set(strings, stringsAt)
  const entries: readonly (readonly [bigint, bigint])[] = [
    [5n, base + BigInt(stringsAt)],
    [14n, 1n],
    [0n, 0n],
  ]
  for (const [index, [tag, value]] of entries.entries()) {
    bytes.writeBigUInt64LE(tag, dynamicAt + index * 16)
    bytes.writeBigUInt64LE(value, dynamicAt + index * 16 + 8)
  }
  return Buffer.concat([bytes, padding])
}

interface Segment {
  readonly type: number
  readonly offset: bigint
  readonly address: bigint
  readonly sizeBytes: bigint
}

function writeSegment(bytes: Buffer, at: number, { type, offset, address, sizeBytes }: Segment): void {
  bytes.writeUInt32LE(type, at)
  for (const [field, value] of [
    [8, offset],
    [16, address],
    [24, address],
    [32, sizeBytes],
    [40, sizeBytes],
  ] as const)
    bytes.writeBigUInt64LE(value, at + field)
}
