/**
 * A disk that loses power: unflushed data is kept, lost or torn at random, as on real file systems. Name changes in a
 * folder happen in order, writes in any order, and neither waits for the other. The real files show the state that the
 * running process sees; `survivors` writes the state after a restart.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Disk, type DiskFile, realDisk } from '../store/disk.ts'

/** Error of every operation after the power loss. */
export class PowerLost extends Error {
  override name = 'PowerLost'
}

interface Inode {
  /** Content that is on the disk for certain. */
  flushed: Uint8Array
  /** Unflushed writes. One without `bytes` sets the file's length to `offset`. */
  pending: { readonly offset: number; readonly bytes: Uint8Array | undefined }[]
}

type NameChange = (names: Map<string, Inode>) => void

const sectorBytes = 512

export class LossyDisk implements Disk {
  readonly #root: string
  readonly #random: () => number
  #stepsLeft: number
  /** Names as the running process sees them. */
  readonly #names = new Map<string, Inode>()
  readonly #flushedNames = new Map<string, Inode>()
  readonly #pendingNames = new Map<string, NameChange[]>()

  /** Creates a disk that loses power at step number `steps`. */
  constructor(root: string, steps: number, random: () => number) {
    this.#root = root
    this.#stepsLeft = steps
    this.#random = random
  }

  get hasPower(): boolean {
    return this.#stepsLeft > 0
  }

  /** Adds an earlier file that is on the disk for certain. */
  adopt(path: string, content: Uint8Array): void {
    const inode = { flushed: content, pending: [] }
    this.#names.set(path, inode)
    this.#flushedNames.set(path, inode)
  }

  room(folder: string) {
    return realDisk.room(folder)
  }

  async open(path: string): Promise<DiskFile> {
    this.#step()
    const inode = this.#names.get(path) ?? this.#create(path)
    const file = await realDisk.open(path)
    return {
      ...file,
      write: async (bytes, offset) => {
        this.#step()
        inode.pending.push({ offset, bytes: bytes.slice() })
        await file.write(bytes, offset)
      },
      truncate: async (bytes) => {
        this.#step()
        inode.pending.push({ offset: bytes, bytes: undefined })
        await file.truncate(bytes)
      },
      reserve: async (bytes) => {
        this.#step()
        inode.pending.push({ offset: bytes, bytes: undefined })
        await file.reserve(bytes)
      },
      flush: async () => {
        this.#step()
        inode.flushed = inode.pending.reduce(apply, inode.flushed)
        inode.pending = []
      },
    }
  }

  async rename(from: string, to: string): Promise<void> {
    this.#step()
    this.#change(dirname(to), (names) => {
      const inode = names.get(from)
      if (inode === undefined) return
      names.delete(from)
      names.set(to, inode)
    })
    await realDisk.rename(from, to)
  }

  async remove(path: string): Promise<void> {
    this.#step()
    this.#change(dirname(path), (names) => void names.delete(path))
    await realDisk.remove(path)
  }

  async flushFolder(path: string): Promise<void> {
    this.#step()
    for (const change of this.#pendingNames.get(path) ?? []) change(this.#flushedNames)
    this.#pendingNames.delete(path)
  }

  /** Writes the files that survive the power loss below another folder. Call it only once. */
  survivors(folder: string): void {
    for (const changes of this.#pendingNames.values()) {
      const kept = changes.slice(0, Math.floor(this.#random() * (changes.length + 1)))
      for (const change of kept) change(this.#flushedNames)
    }
    for (const [path, inode] of this.#flushedNames) {
      const kept = inode.pending.flatMap((change) => this.#afterLoss(change))
      const place = join(folder, relative(this.#root, path))
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, kept.reduce(apply, inode.flushed))
    }
  }

  #create(path: string): Inode {
    const inode: Inode = { flushed: new Uint8Array(), pending: [] }
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) throw new Error(`${path} was not adopted`)
    this.#change(dirname(path), (names) => void names.set(path, inode))
    return inode
  }

  #change(folder: string, change: NameChange): void {
    change(this.#names)
    this.#pendingNames.set(folder, [...(this.#pendingNames.get(folder) ?? []), change])
  }

  #step(): void {
    if (this.#stepsLeft <= 0) throw new PowerLost('the power is lost')
    if (--this.#stepsLeft <= 0) throw new PowerLost('the power is lost')
  }

  /**
   * Returns the surviving part of a write. A third of the writes is kept, a third is lost, and a third keeps some
   * sectors.
   */
  #afterLoss({ offset, bytes }: Inode['pending'][number]): Inode['pending'] {
    const fate = this.#random()
    if (fate < 1 / 3) return []
    if (fate < 2 / 3 || bytes === undefined) return [{ offset, bytes }]
    const sectors = Array.from({ length: Math.ceil(bytes.length / sectorBytes) }, (_, index) => index * sectorBytes)
    return sectors
      .filter(() => this.#random() < 0.5)
      .map((start) => ({ offset: offset + start, bytes: bytes.subarray(start, start + sectorBytes) }))
  }
}

function apply(content: Uint8Array, { offset, bytes }: Inode['pending'][number]): Uint8Array {
  const end = bytes === undefined ? offset : Math.max(content.length, offset + bytes.length)
  const changed = new Uint8Array(end)
  changed.set(content.subarray(0, end))
  if (bytes !== undefined) changed.set(bytes, offset)
  return changed
}
