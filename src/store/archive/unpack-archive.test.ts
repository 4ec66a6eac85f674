/**
 * Archives of real programs, and ones that no archiver would make: a bad one is refused with a clear reason, and no
 * file of it is left.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { attributes, makeTar, type TarMember } from '../../testing/store/make-tar.ts'
import { bunzip2ByProgram, bunzip2ByThread } from './bunzip2.ts'
import { type UnpackLimits, unpackArchive } from './unpack-archive.ts'

let folder = ''
let target = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-archive-'))
  target = join(folder, 'models', 'unpacked')
})

afterEach(() => rmSync(folder, { recursive: true }))

function unpack(archive: Uint8Array, limits?: UnpackLimits) {
  const path = join(folder, 'archive')
  writeFileSync(path, archive)
  return unpackArchive(path, target, limits)
}

async function expectRefusal(archive: Uint8Array, reason: string, limits?: UnpackLimits) {
  await expect(unpack(archive, limits)).rejects.toThrow(reason)
  expect(existsSync(join(folder, 'models')) ? readdirSync(join(folder, 'models')) : []).toEqual([])
  expect(readdirSync(folder).sort()).toEqual(expect.not.arrayContaining(['outside']))
}

function tar(words: readonly string[]): void {
  expect(Bun.spawnSync(['tar', ...words], { cwd: folder }).exitCode).toBe(0)
}

const deep = `${'d'.repeat(60)}/${'e'.repeat(80)}/file.onnx`

test.each(['v7', 'ustar', 'gnu', 'pax', 'oldgnu'])(
  'what tar writes as %s is unpacked, its top folder left out',
  async (format) => {
    const long = format === 'v7' ? 'file.onnx' : deep
    mkdirSync(join(folder, 'top', long, '..'), { recursive: true })
    writeFileSync(join(folder, 'top', long), 'content')
    writeFileSync(join(folder, 'top', 'tokens.txt'), 'a 1\n'.repeat(5000))
    tar([`--format=${format}`, '-cf', 'archive', './top'])
    const files = await unpackArchive(join(folder, 'archive'), target)
    expect([...files].sort((left, right) => right.bytes - left.bytes)).toEqual([
      { name: 'tokens.txt', bytes: 20_000 },
      { name: long, bytes: 7 },
    ])
    expect(readFileSync(join(target, long), 'utf8')).toBe('content')
    expect(readFileSync(join(target, 'tokens.txt'), 'utf8')).toBe('a 1\n'.repeat(5000))
  },
)

test.each([
  ['gzip', '-czf'],
  ['bzip2', '-cjf'],
])('an archive packed with %s is unpacked', async (_, flags) => {
  const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * index) % 251))
  writeFileSync(join(folder, 'model.bin'), content)
  tar([flags, 'archive', 'model.bin'])
  let told = 0
  await unpackArchive(join(folder, 'archive'), target, { onBytes: (bytes) => (told = bytes) })
  expect(readFileSync(join(target, 'model.bin')).equals(content)).toBe(true)
  expect(told).toBe(content.length)
})

test('a thread decodes what the system’s bzip2 does, and notices the same damage', async () => {
  const content = Buffer.from(Array.from({ length: 1_200_000 }, (_, index) => (index * 31 + (index >> 9)) % 253))
  const path = join(folder, 'packed')
  const collect = async (pieces: AsyncIterable<Uint8Array>) => {
    const all: Uint8Array[] = []
    for await (const piece of pieces) all.push(piece.slice())
    return Buffer.concat(all)
  }
  for (const parts of [[content], [content, content.subarray(0, 10)]]) {
    const packed = parts.map((part) => Bun.spawnSync(['bzip2', '-c', '-1'], { stdin: part }).stdout)
    writeFileSync(path, Buffer.concat(packed))
    expect((await collect(bunzip2ByThread(path))).equals(Buffer.concat(parts))).toBe(true)
    expect((await collect(bunzip2ByProgram(path, '/usr/bin/bzip2'))).equals(Buffer.concat(parts))).toBe(true)
  }
  const damaged = readFileSync(path)
  damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] ?? 0) ^ 1
  writeFileSync(path, damaged)
  await expect(collect(bunzip2ByThread(path))).rejects.toThrow('is damaged or cut short')
  await expect(collect(bunzip2ByProgram(path, '/usr/bin/bzip2'))).rejects.toThrow('is damaged or cut short')
}, 60_000)

test('a reader that leaves ends the decoder', async () => {
  const path = join(folder, 'packed')
  const zeros = Buffer.alloc(50_000_000)
  writeFileSync(path, Bun.spawnSync(['bzip2', '-c', '-1'], { stdin: zeros }).stdout)
  for (const decode of [bunzip2ByThread(path), bunzip2ByProgram(path, '/usr/bin/bzip2')]) {
    expect((await decode.next()).value?.length).toBeGreaterThan(0)
    await decode.return(undefined)
  }
})

test('hidden files are left out, and a folder that was there is replaced', async () => {
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, 'old'), '')
  const files = await unpack(
    makeTar([
      { name: './', type: '5' },
      { name: './.gitattributes', content: 'x' },
      { name: './a', content: 'y' },
    ]),
  )
  expect(files).toEqual([{ name: 'a', bytes: 1 }])
  expect(readdirSync(join(folder, 'models'))).toEqual(['unpacked'])
  expect(readdirSync(target)).toEqual(['a'])
})

test('names and sizes may come as attributes of the next entry', async () => {
  const pax: TarMember = {
    name: 'PaxHeaders/x',
    type: 'x',
    content: attributes({ path: 'b/long name.bin', mtime: '1.5' }),
  }
  const all: TarMember = { name: 'pax_global_header', type: 'g', content: attributes({ comment: 'c0ffee' }) }
  await unpack(makeTar([all, pax, { name: 'short', content: 'one' }, { name: 'c', content: 'two' }]))
  expect(readFileSync(join(target, 'b/long name.bin'), 'utf8')).toBe('one')
  expect(readFileSync(join(target, 'c'), 'utf8')).toBe('two')
})

const file = (name: string, more: Partial<TarMember> = {}): TarMember => ({ name, content: 'x', ...more })

test.each<[string, readonly TarMember[], string]>([
  ['a symbolic link', [file('a', { type: '2', linkName: '/etc/passwd', content: '' })], 'holds a symbolic link ("a")'],
  ['a hard link', [file('a'), file('b', { type: '1', linkName: 'a', content: '' })], 'holds a hard link ("b")'],
  ['a link with a long target', [file('././@LongLink', { type: 'K' })], 'holds a link'],
  ['a character device', [file('a', { type: '3', content: '' })], 'holds a device'],
  ['a block device', [file('a', { type: '4', content: '' })], 'holds a device'],
  ['a FIFO', [file('a', { type: '6', content: '' })], 'holds a FIFO'],
  ['a sparse file', [file('a', { type: 'S' })], 'holds a sparse file'],
  [
    'a sparse file of another kind',
    [file('x', { type: 'x', content: attributes({ 'GNU.sparse.name': 'a' }) })],
    'sparse',
  ],
  ['an unknown type', [file('a', { type: 'Z' })], 'holds an entry of type "Z"'],
  ['an absolute name', [file('/tmp/outside')], 'holds the name "/tmp/outside", which is absolute'],
  ['a name that leads out', [file('../outside')], 'which leads out of its folder'],
  ['a name that leads out from below', [file('a/b/../../../outside')], 'which leads out of its folder'],
  [
    'a long name that leads out',
    [file('x', { type: 'x', content: attributes({ path: '../outside' }) }), file('a')],
    'leads out',
  ],
  ['GNU’s long name that leads out', [file('L', { type: 'L', content: '../outside\0' }), file('a')], 'leads out'],
  ['a prefix that leads out', [file('outside', { prefix: '..' })], 'leads out'],
  ['a hidden name that leads out', [file('.hidden/../../outside')], 'leads out'],
  ['a backslash', [file('..\\outside')], 'is no relative path'],
  ['a drive', [file('C:outside')], 'is no relative path'],
  ['an escape sequence', [file('a\u001b[2Jb')], 'is no relative path'],
  ['a line end', [file('a\nb')], 'is no relative path'],
  ['a mark that reorders text', [file('a\u202eb')], 'is no relative path'],
  ['the lock', [file('a'), file('b/lock.json')], 'is one that inferd uses itself'],
  [
    'NUL in an attribute',
    [file('x', { type: 'x', content: attributes({ path: 'a\0b' }) }), file('a')],
    'of an unknown form',
  ],
  ['nine folders', [file('1/2/3/4/5/6/7/8/9')], 'has more than 8 folders'],
  ['a name twice', [file('a'), file('a')], 'holds "a" twice'],
  ['names that differ by case', [file('Model.onnx'), file('model.onnx')], 'which some disks take for one'],
  ['folders that differ by case', [file('A/x'), file('a/y')], 'which some disks take for one'],
  ['a file in place of a folder', [file('a'), file('a/b')], 'holds "a" twice'],
  ['a folder in place of a file', [file('a/b'), file('a')], 'holds "a" twice'],
  ['no files', [file('a', { type: '5', content: '' })], 'holds no files'],
  ['a folder with content', [file('a/', { type: '5' })], 'a folder has content'],
  ['a negative size', [file('a', { size: -1n })], 'negative or too large'],
  ['a size beyond all files', [file('a', { size: 2n ** 62n })], 'negative or too large'],
  ['a size that is none', [file('a', { size: '8' })], 'holds no number'],
  ['a size beyond the end', [file('a', { size: 4096 })], 'is cut short'],
  ['a negative attribute size', [file('x', { type: 'x', content: attributes({ size: '-1' }) }), file('a')], 'negative'],
  [
    'an endless attribute size',
    [file('x', { type: 'x', content: attributes({ size: '1e99' }) }), file('a')],
    'negative',
  ],
  ['attributes without form', [file('x', { type: 'x', content: '99 path=a\n' }), file('a')], 'of an unknown form'],
  ['huge attributes', [file('x', { type: 'x', content: Buffer.alloc(100_000) })], 'a name takes 100000 bytes'],
  [
    'a name for all entries',
    [file('g', { type: 'g', content: attributes({ path: 'a' }) }), file('b')],
    'one name stands for all',
  ],
  ['a name without an entry', [file('x', { type: 'x', content: attributes({ path: 'a' }) })], 'followed by no entry'],
  ['a wrong checksum', [file('a', { checksum: 1 })], 'the checksum of a header is wrong'],
])('%s refuses all, and nothing stays', async (_, members, reason) => {
  // The first member is sound, so that the file counts as an archive.
  await expectRefusal(
    makeTar([file('sound'), ...members]).subarray(members.some(({ type }) => type === '5') ? 1024 : 0),
    reason,
  )
})

test('an archive that ends early is refused wherever it ends', async () => {
  const whole = makeTar([file('a', { content: 'x'.repeat(700) }), file('b')])
  for (const length of [512, 600, 1536, 2000, 2560]) await expectRefusal(whole.subarray(0, length), 'is cut short')
  for (const length of [30, 90]) await expectRefusal(gzipSync(whole).subarray(0, length), 'is ')
  await expectRefusal(Buffer.concat([whole, makeTar([file('c')])]), 'data follows its end mark')
})

test('a bomb stops as soon as it is one', async () => {
  const zeros = Buffer.alloc(30_000_000)
  await expectRefusal(gzipSync(makeTar([file('a', { content: zeros })])), 'unpacks to more than 20 times its size')
  const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `.hidden${index}` }))
  await expectRefusal(makeTar(many), 'holds more than 10000 entries')
  await expectRefusal(makeTar([file('a', { content: 'x'.repeat(1000) })]), 'more than the 999 bytes', {
    maximumBytes: 999,
  })
})

test('other kinds of files are named', async () => {
  await expectRefusal(Buffer.from('504b030400000000', 'hex'), 'is packed with zip')
  await expectRefusal(Buffer.from('some text'), 'is no tar archive')
  await expectRefusal(Buffer.from(''), 'is no tar archive')
  await expectRefusal(Buffer.from('1f8b08000000', 'hex'), 'is damaged')
  await expectRefusal(Buffer.from('BZh91AY&SY', 'latin1'), 'is damaged or cut short')
})

test('an unpacking that is stopped leaves nothing', async () => {
  const stop = new AbortController()
  const archive = makeTar([file('a', { content: Buffer.alloc(1_000_000) }), file('b')])
  await expectRefusal(archive, 'enough', { signal: stop.signal, onBytes: () => stop.abort(new Error('enough')) })
})

test('a full disk is said, and what was there stays', async () => {
  const disk = mkdtempSync(join(tmpdir(), 'inferd-full-'))
  if (Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).exitCode !== 0) return
  try {
    target = join(disk, 'unpacked')
    await unpack(makeTar([file('small')]))
    await expect(unpack(makeTar([file('large', { content: Buffer.alloc(2_000_000) })]))).rejects.toThrow(
      'has no room for it; make room',
    )
    expect(readdirSync(disk)).toEqual(['unpacked'])
    expect(readdirSync(target)).toEqual(['small'])
  } finally {
    Bun.spawnSync(['umount', disk])
  }
})
