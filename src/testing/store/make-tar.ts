/** Tar archives written byte by byte, including hostile ones. */

export interface TarMember {
  readonly name: string
  readonly type?: string
  readonly content?: string | Uint8Array
  /** Size in the header instead of the content's length. */
  readonly size?: number | bigint | string
  readonly magic?: string
  readonly prefix?: string
  readonly linkName?: string
  readonly checksum?: number
}

const block = 512

/** Returns an archive with a correct end, unless `isOpen`. */
export function makeTar(members: readonly TarMember[], { isOpen = false } = {}): Buffer {
  return Buffer.concat([...members.map(member), Buffer.alloc(isOpen ? 0 : 2 * block)])
}

function member({
  name,
  type = '0',
  content = '',
  size,
  magic = 'ustar\u000000',
  prefix = '',
  linkName = '',
  checksum,
}: TarMember): Buffer {
  const body = Buffer.from(content)
  const header = Buffer.alloc(block)
  header.write(name, 0, 100)
  header.write('0000644\0', 100)
  if (typeof size === 'bigint') header.writeBigInt64BE(size, 128)
  if (typeof size === 'bigint') header.fill(size < 0n ? 0xff : 0x80, 124, 125)
  else header.write(typeof size === 'string' ? size : `${(size ?? body.length).toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write(type, 156)
  header.write(linkName, 157, 100)
  header.write(magic, 257)
  header.write(prefix, 345, 155)
  header.write('        ', 148)
  const sum = checksum ?? header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, body, Buffer.alloc((block - (body.length % block)) % block)])
}

/** Returns POSIX attributes: `<length> <key>=<value>\n`, where the length includes itself. */
export function attributes(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([key, value]) => {
      const rest = Buffer.byteLength(` ${key}=${value}\n`)
      const length = [1, 2, 3, 4, 5]
        .map((digits) => rest + digits)
        .find((total) => String(total).length === total - rest)
      return `${length} ${key}=${value}\n`
    })
    .join('')
}
