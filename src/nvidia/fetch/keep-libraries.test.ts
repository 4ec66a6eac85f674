import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Disk, realDisk } from '../../store/disk.ts'
import { DiskFullError } from '../../store/download/disk-error.ts'
import { elfLibrary } from '../../testing/elf-library.ts'
import { nvidiaWheel } from '../../testing/nvidia-index.ts'
import { zipFile } from '../../testing/zip-file.ts'
import { KeepError, keepFolder, keepWheel, requireRoom } from './keep-libraries.ts'

let folder = ''
let dataDir = ''
let wheel = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-keep-'))
  dataDir = join(folder, 'data')
  wheel = join(folder, 'nvidia_cublas-1.0-py3-none-any.whl')
  writeFileSync(wheel, nvidiaWheel('nvidia-cublas', paths))
})
afterEach(() => rmSync(folder, { recursive: true }))

const paths = ['nvidia/cu13/lib/libcublas.so.13', 'nvidia/cu13/lib/libcublasLt.so.13']
const signal = new AbortController().signal
const kept = () => readdirSync(join(dataDir, 'nvidia/lib')).sort()

/** Returns a disk that fails after this many writes. */
function diskFor(writes: number): Disk {
  let left = writes
  return {
    ...realDisk,
    async open(path) {
      const file = await realDisk.open(path)
      return {
        ...file,
        async write(bytes, offset) {
          if (left-- <= 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
          return file.write(bytes, offset)
        },
      }
    },
  }
}

test('a disk that is full at any write leaves the libraries that were there, and nothing beside them', async () => {
  await keepWheel(wheel, { dataDir, signal })
  const before = kept().map((name) => readFileSync(join(dataDir, 'nvidia/lib', name)))
  writeFileSync(wheel, nvidiaWheel('nvidia-cublas', paths, 200_000))
  let writes = 0
  for (; ; writes++) {
    const error = await keepWheel(wheel, { dataDir, signal, disk: diskFor(writes) }).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (error === undefined) break
    expect(error).toBeInstanceOf(DiskFullError)
    expect(kept()).toEqual(['libcublas.so.13', 'libcublasLt.so.13'])
    const isSame = kept().map((name, index) =>
      readFileSync(join(dataDir, 'nvidia/lib', name)).equals(before[index] ?? new Uint8Array()),
    )
    // The licence is written last, after both libraries.
    expect(new Set(isSame).size).toBe(1)
  }
  expect(writes).toBeGreaterThan(2)
})

test.each<readonly [string, Uint8Array]>([
  ['of another name inside', elfLibrary({ soname: 'libcublas.so.12' })],
  ['of another architecture', elfLibrary({ soname: 'libcublas.so.13', machine: 183 })],
  ['that is no library', Buffer.from('text')],
])('a wheel with a file %s is refused whole', async (_, content) => {
  const library = { name: 'nvidia/cu13/lib/libcublasLt.so.13', content: elfLibrary({ soname: 'libcublasLt.so.13' }) }
  writeFileSync(wheel, zipFile([library, { name: 'nvidia/cu13/lib/libcublas.so.13', content }]))
  await expect(keepWheel(wheel, { dataDir, signal })).rejects.toBeInstanceOf(KeepError)
  expect(kept()).toEqual([])
})

test('a member that says to be larger than any library is refused before it is unpacked', async () => {
  const content = elfLibrary({ soname: 'libcublas.so.13' })
  const entry = { name: 'nvidia/cu13/lib/libcublas.so.13', content, isZip64: true, saidBytes: 2 ** 40 }
  writeFileSync(wheel, zipFile([entry]))
  await expect(keepWheel(wheel, { dataDir, signal })).rejects.toThrow("larger than any library of NVIDIA's")
})

test('names that lead out of the folder end in it', async () => {
  const soname = 'libcudart.so.13'
  writeFileSync(wheel, zipFile([{ name: `../../../lib/${soname}`, content: elfLibrary({ soname }) }]))
  await keepWheel(wheel, { dataDir, signal })
  expect(kept()).toEqual([soname])
  expect(existsSync(join(folder, 'lib'))).toBe(false)
})

test('links in a folder are followed, and their content is kept', async () => {
  const place = join(folder, 'cuda/lib64')
  mkdirSync(place, { recursive: true })
  const content = elfLibrary({ soname: 'libcudart.so.13' })
  writeFileSync(join(place, 'libcudart.so.13.0.96'), content)
  symlinkSync('libcudart.so.13.0.96', join(place, 'libcudart.so.13'))
  expect(await keepFolder(join(folder, 'cuda'), { dataDir, signal })).toEqual(['libcudart.so.13'])
  expect(readFileSync(join(dataDir, 'nvidia/lib/libcudart.so.13')).equals(content)).toBe(true)
})

test('a library that a wheel holds twice is refused', async () => {
  const soname = 'libcudart.so.13'
  const content = elfLibrary({ soname })
  writeFileSync(wheel, zipFile(['a', 'b'].map((place) => ({ name: `${place}/lib/${soname}`, content }))))
  await expect(keepWheel(wheel, { dataDir, signal })).rejects.toThrow(`holds ${soname} twice`)
  expect(kept()).toEqual([])
})

test('pipes and loops in a folder, and places that are no folder, do not hold anybody', async () => {
  const place = join(folder, 'odd')
  mkdirSync(place)
  expect(Bun.spawnSync(['mkfifo', join(place, 'libcudart.so.13')]).success).toBe(true)
  symlinkSync('libcublas.so.13', join(place, 'libcublas.so.13'))
  symlinkSync('.', join(place, 'lib64'))
  mkdirSync(join(place, 'libcurand.so.10'))
  await expect(keepFolder(place, { dataDir, signal })).rejects.toBeInstanceOf(KeepError)
  await expect(keepWheel(join(place, 'libcudart.so.13'), { dataDir, signal })).rejects.toThrow(
    'neither a folder nor a wheel',
  )
  await expect(keepFolder(wheel, { dataDir, signal })).rejects.toThrow(`${wheel} cannot be read (ENOTDIR)`)
})

test('work that is stopped leaves nothing', async () => {
  await expect(keepWheel(wheel, { dataDir, signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow(
    'stopped',
  )
  expect(kept()).toEqual([])
})

test('room for all that is to be kept is asked for before anything is written', async () => {
  const wheels = join(folder, 'wheels')
  mkdirSync(join(wheels, 'lib64'), { recursive: true })
  writeFileSync(join(wheels, 'nvidia_cublas-1.0-py3-none-any.whl'), readFileSync(wheel))
  writeFileSync(join(wheels, 'nvidia_other-1.0-py3-none-any.whl'), 'no zip')
  writeFileSync(join(wheels, 'lib64/libcudart.so.13'), elfLibrary({ soname: 'libcudart.so.13' }))
  const sizes = async (place: string) => {
    await keepFolder(place, { dataDir: join(folder, 'other'), signal })
    const kept = join(folder, 'other/nvidia/lib')
    return readdirSync(kept).reduce((sum, name) => sum + readFileSync(join(kept, name)).length, 0)
  }
  rmSync(join(wheels, 'nvidia_other-1.0-py3-none-any.whl'))
  const needed = await sizes(wheels)
  writeFileSync(join(wheels, 'nvidia_other-1.0-py3-none-any.whl'), 'no zip')
  const withFree = (freeBytes: number): Disk => ({ ...realDisk, room: async () => ({ freeBytes, totalBytes: 1e12 }) })
  await requireRoom([wheels], { dataDir, disk: withFree(needed) })
  const refused = requireRoom([wheels], { dataDir, disk: withFree(needed - 1) })
  await expect(refused).rejects.toThrow(
    /^the libraries take .* and the disk of .* has .* free: free 1 B more, or choose/,
  )
  await expect(requireRoom([wheels, wheel], { dataDir, disk: withFree(needed) })).rejects.toThrow(DiskFullError)
  expect(kept()).toEqual([])
})
