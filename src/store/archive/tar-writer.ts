/** Blocks of tar archives: ustar, with GNU's forms of long names and large sizes. Pure. */
import { blockBytes } from './tar-header.ts'

const longName = '././@LongLink'
const nameBytes = 100
const octalLimitBytes = 8 ** 11

/** Returns the blocks before a file's content. The file is for its owner alone and has no time. */
export function fileHeader(name: string, sizeBytes: number): Uint8Array {
  const encoded = Buffer.from(name)
  if (encoded.length <= nameBytes) return header(encoded, '0', sizeBytes)
  const content = Buffer.concat([encoded, Buffer.alloc(1)])
  const before = [header(Buffer.from(longName), 'L', content.length), content, padding(content.length)]
  return Buffer.concat([...before, header(encoded.subarray(0, nameBytes), '0', sizeBytes)])
}

/** Returns the zeros that pad a content to whole blocks. */
export function padding(sizeBytes: number): Uint8Array {
  return new Uint8Array((blockBytes - (sizeBytes % blockBytes)) % blockBytes)
}

/** Blocks that end an archive. */
export const endBlocks: Uint8Array = new Uint8Array(2 * blockBytes)

function header(name: Uint8Array, type: string, sizeBytes: number): Buffer {
  const block = Buffer.alloc(blockBytes)
  block.set(name)
  block.write('0000600\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  if (sizeBytes < octalLimitBytes) block.write(`${sizeBytes.toString(8).padStart(11, '0')}\0`, 124)
  else {
    block[124] = 0x80
    block.writeBigUInt64BE(BigInt(sizeBytes), 128)
  }
  block.write('00000000000\0', 136)
  // The checksum counts itself as blanks.
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
