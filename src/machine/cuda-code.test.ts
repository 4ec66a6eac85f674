import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCudaCode, readCudaEntries } from './cuda-code.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-cuda-code-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Piece {
  readonly kind: number
  readonly architecture: number
  readonly suffix?: number
  readonly version?: readonly [number, number]
  /** Length of the header. Longer ones have the compiler's options. */
  readonly headerBytes?: number
}

function container(pieces: readonly Piece[], codeBytes = 40): Buffer {
  const entries = pieces.map(({ kind, architecture, suffix = 0, version = [1, 8], headerBytes = 64 }) => {
    const entry = Buffer.alloc(headerBytes + codeBytes, 0xee)
    entry.fill(0, 0, headerBytes)
    entry.writeUInt16LE(kind, 0)
    entry.writeUInt32LE(headerBytes, 4)
    entry.writeBigUInt64LE(BigInt(codeBytes), 8)
    entry.writeUInt16LE(version[1], 24)
    entry.writeUInt16LE(version[0], 26)
    entry.writeUInt32LE(architecture, 28)
    entry.writeUIntLE(0x8011, 40, 2) // packed
    entry.writeUInt8(suffix, 42)
    return entry
  })
  const content = Buffer.concat(entries)
  const header = Buffer.alloc(16)
  header.writeUInt32LE(0xba55ed50, 0)
  header.writeUInt16LE(1, 4)
  header.writeUInt16LE(16, 6)
  header.writeBigUInt64LE(BigInt(content.length), 8)
  return Buffer.concat([header, content])
}

/** Returns an ELF file of these sections, without programs or symbols. */
function elfFile(name: string, sections: Readonly<Record<string, Buffer>>): string {
  const all = { ...sections, '.shstrtab': Buffer.from(`\0${Object.keys(sections).join('\0')}\0.shstrtab\0`) }
  const names = all['.shstrtab'].toString()
  const header = Buffer.alloc(64)
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]).copy(header)
  const bodies: Buffer[] = []
  const table: Buffer[] = [Buffer.alloc(64)]
  let offset = header.length
  for (const [section, body] of Object.entries(all)) {
    const entry = Buffer.alloc(64)
    entry.writeUInt32LE(names.indexOf(`\0${section}\0`) + 1, 0)
    entry.writeBigUInt64LE(BigInt(offset), 0x18)
    entry.writeBigUInt64LE(BigInt(body.length), 0x20)
    table.push(entry)
    bodies.push(body)
    offset += body.length
  }
  header.writeBigUInt64LE(BigInt(offset), 0x28)
  header.writeUInt16LE(64, 0x3a)
  header.writeUInt16LE(table.length, 0x3c)
  header.writeUInt16LE(table.length - 1, 0x3e)
  const file = join(folder, name)
  writeFileSync(file, Buffer.concat([header, ...bodies, ...table]))
  return file
}

describe('CUDA code of a file', () => {
  const fatbin = Buffer.concat([
    container([
      { kind: 1, architecture: 75, version: [9, 1], headerBytes: 80 },
      { kind: 2, architecture: 120, suffix: 0x10, headerBytes: 112 },
      { kind: 2, architecture: 86 },
    ]),
    Buffer.alloc(8), // padding
    container([
      { kind: 2, architecture: 86 },
      { kind: 2, architecture: 90 },
      { kind: 1, architecture: 90, version: [9, 0], headerBytes: 80 },
    ]),
  ])

  test('lists machine code and PTX with its version, ascending and once', () => {
    const file = elfFile('two-containers.so', { '.text': Buffer.alloc(24, 0x50), '.nv_fatbin': fatbin })
    expect(readCudaCode(file)).toEqual({
      machineCode: ['86', '90', '120a'],
      ptx: [
        { architecture: '75', version: '9.1' },
        { architecture: '90', version: '9.0' },
      ],
    })
  })

  test('says where each piece lies', () => {
    const file = elfFile('places.so', { '.nv_fatbin': container([{ kind: 2, architecture: 90 }]) })
    expect(readCudaEntries(file)).toEqual([
      { kind: 'machine code', architecture: '90', version: '1.8', offset: 64 + 16 + 64, sizeBytes: 40 },
    ])
  })

  test('reads code of objects that are linked again', () => {
    const file = elfFile('relocatable.o', { __nv_relfatbin: container([{ kind: 2, architecture: 90, suffix: 0x20 }]) })
    expect(readCudaCode(file).machineCode).toEqual(['90f'])
  })

  test('finds none in a library without', () => {
    expect(readCudaCode(elfFile('plain.so', { '.text': Buffer.alloc(64) }))).toEqual({ machineCode: [], ptx: [] })
  })

  test.each(['a script', ''])('refuses a file that is no library: "%s"', (content) => {
    const file = join(folder, 'no-library')
    writeFileSync(file, content)
    expect(() => readCudaCode(file)).toThrow(`${file} is not a 64-bit library or program for Linux`)
  })

  test('ends at the end of a file that was cut off, or whose sizes are wrong', () => {
    const whole = elfFile('whole.so', { '.nv_fatbin': fatbin })
    const wrong = Buffer.from(fatbin)
    wrong.writeBigUInt64LE(2n ** 50n, 8) // size of the container
    wrong.writeUInt32LE(0, 16 + 4) // size of the first header
    expect(readCudaCode(elfFile('wrong.so', { '.nv_fatbin': wrong }))).toEqual({ machineCode: [], ptx: [] })
    const bytes = new Uint8Array(readFileSync(whole))
    const cut = join(folder, 'cut.so')
    writeFileSync(cut, bytes.subarray(0, 100))
    expect(readCudaCode(cut)).toEqual({ machineCode: [], ptx: [] })
  })

  const nvcc = Bun.which('nvcc') ?? Bun.which('/usr/local/cuda/bin/nvcc')
  test.skipIf(nvcc === null)('agrees with what nvcc was asked for, packed or not', () => {
    const source = join(folder, 'kernel.cu')
    writeFileSync(source, '__global__ void twice(float *values) { values[threadIdx.x] *= 2; }\n')
    for (const mode of ['none', 'speed', 'size']) {
      const object = join(folder, `kernel-${mode}.o`)
      const codes = [
        'arch=compute_80,code=sm_80',
        'arch=compute_90a,code=[sm_90a,compute_90a]',
        'arch=compute_120a,code=sm_120a',
      ]
      const flags = codes.map((code) => `-gencode=${code}`)
      const { exitCode, stderr } = Bun.spawnSync([
        nvcc ?? '',
        ...flags,
        `-compress-mode=${mode}`,
        '-c',
        source,
        '-o',
        object,
      ])
      expect(`${exitCode} ${stderr}`).toBe('0 ')
      const { machineCode, ptx } = readCudaCode(object)
      expect(machineCode).toEqual(['80', '90a', '120a'])
      expect(ptx).toEqual([{ architecture: '90a', version: expect.stringMatching(/^\d+\.\d+$/) }])
    }
  })
})
