/** Tests with real files, sockets and processes, and a real disk. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { toApiError } from '../core/errors.ts'
import { Spool, type SpoolOptions, spoolDefaults, sweepSpool } from './spool.ts'

let data = ''
let folder = ''

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'inferd-spool-'))
  folder = join(data, 'spool')
})

afterEach(() => rmSync(data, { recursive: true }))

function newSpool(limits: Partial<SpoolOptions> = {}): Spool {
  return new Spool({
    folder,
    ...spoolDefaults,
    fileLimitBytes: 1000,
    limitBytes: 1500,
    smallReserveBytes: 0,
    ...limits,
  })
}

/** Makes an upload of these pieces, with the number of pieces asked for, and whether the rest was cancelled. */
function uploadOf(...sizes: number[]) {
  const state = { asked: 0, isCancelled: false }
  const upload = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const size = sizes[state.asked++]
        if (size === undefined) controller.close()
        else controller.enqueue(new Uint8Array(size).fill(state.asked))
      },
      cancel() {
        state.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { upload, state }
}

async function refusal(receiving: Promise<unknown>) {
  const { kind, code, retryAfterSeconds } = toApiError(await receiving.then(Object, (error: unknown) => error))
  return { kind, code, retryAfterSeconds }
}

const left = () => (existsSync(folder) ? readdirSync(folder) : [])

test('an upload is a file of this user alone, of a name that nobody guesses, until it is disposed of', async () => {
  const spool = newSpool()
  {
    await using file = await spool.receive(uploadOf(300, 0, 400).upload, 'a')
    expect(file.sizeBytes).toBe(700)
    expect(readFileSync(file.path)).toEqual(Buffer.concat([Buffer.alloc(300, 1), Buffer.alloc(400, 3)]))
    expect([statSync(folder).mode & 0o777, statSync(file.path).mode & 0o777]).toEqual([0o700, 0o600])
    expect(basename(file.path)).toMatch(/^upload-[0-9a-f]{32}$/)
    await using other = await spool.receive(uploadOf(10).upload, 'a')
    expect(dirname(other.path)).toBe(dirname(file.path))
    expect(other.path).not.toBe(file.path)
  }
  expect(left()).toEqual([])
})

test('a file beyond its limit is refused as soon as it is, and no more of it is read', async () => {
  const { upload, state } = uploadOf(400, 400, 400, 400, 400)
  expect(await refusal(newSpool().receive(upload, 'a'))).toMatchObject({
    kind: 'payload_too_large',
    code: 'payload_too_large',
  })
  expect(state).toEqual({ asked: 3, isCancelled: true })
  expect(left()).toEqual([])
})

test('all files together have a limit, and each that ends makes room, however often it is disposed of', async () => {
  const spool = newSpool()
  const first = await spool.receive(uploadOf(1000).upload, 'a')
  const overloaded = { kind: 'unavailable', code: 'overloaded', retryAfterSeconds: 5 }
  expect(await refusal(spool.receive(uploadOf(300, 300).upload, 'a'))).toMatchObject(overloaded)
  expect(left()).toEqual([basename(first.path)])
  await using second = await spool.receive(uploadOf(500).upload, 'a')
  await Promise.all([first[Symbol.asyncDispose](), first[Symbol.asyncDispose]()])
  await first[Symbol.asyncDispose]()
  await using third = await spool.receive(uploadOf(1000).upload, 'a')
  expect(await refusal(spool.receive(uploadOf(1).upload, 'a'))).toMatchObject(overloaded)
  expect(left().sort()).toEqual([basename(second.path), basename(third.path)].sort())
})

test('accounts with long files leave room for those with short ones', async () => {
  const spool = newSpool({ smallReserveBytes: 500, smallAccountBytes: 100 })
  await using long = await spool.receive(uploadOf(500, 400).upload, 'a')
  expect(await refusal(spool.receive(uploadOf(101).upload, 'b'))).toMatchObject({ code: 'overloaded' })
  await using short = await spool.receive(uploadOf(100).upload, 'b')
  await using other = await spool.receive(uploadOf(100).upload, 'c')
  expect(left().sort()).toEqual([long, short, other].map(({ path }) => basename(path)).sort())
  await long[Symbol.asyncDispose]()
  await using next = await spool.receive(uploadOf(700).upload, 'a')
  expect(next.sizeBytes).toBe(700)
})

test('an upload that breaks off leaves nothing', async () => {
  const upload = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(10))
    },
    pull(controller) {
      controller.error(new Error('broken off'))
    },
  })
  await expect(newSpool().receive(upload, 'a')).rejects.toThrow('broken off')
  expect(left()).toEqual([])
})

test('an account has a share of the spool in bytes and files, and others have theirs', async () => {
  const spool = newSpool({ accountLimitBytes: 1100, accountFiles: 2 })
  const first = await spool.receive(uploadOf(1000).upload, 'a')
  const overloaded = { kind: 'unavailable', code: 'overloaded', retryAfterSeconds: 5 }
  const refused = await spool.receive(uploadOf(101).upload, 'a').catch(toApiError)
  expect(refused).toMatchObject(overloaded)
  expect(refused).toHaveProperty('message', expect.stringContaining('The account has too many uploads'))
  await using ofOther = await spool.receive(uploadOf(101).upload, 'b')
  await using second = await spool.receive(uploadOf(100).upload, 'a')
  expect(await refusal(spool.receive(uploadOf(0).upload, 'a'))).toMatchObject(overloaded)
  await first[Symbol.asyncDispose]()
  await using third = await spool.receive(uploadOf(1000).upload, 'a')
  expect(left().sort()).toEqual([ofOther, second, third].map(({ path }) => basename(path)).sort())
})

test('what the server makes may be larger than an upload', async () => {
  await using file = await newSpool().write(uploadOf(600, 600).upload, { accountId: 'a' })
  expect(file.sizeBytes).toBe(1200)
})

test('a server that stops deletes what is there', async () => {
  const spool = newSpool()
  const file = await spool.receive(uploadOf(10).upload, 'a')
  await spool.clear()
  expect(left()).toEqual([])
  await file[Symbol.asyncDispose]()
})

/** Runs a program that has `spool` and `receive(bytes)`. */
function run(program: string, wrapper: readonly string[] = []) {
  const source = `
    import { Spool, spoolDefaults } from ${JSON.stringify(join(import.meta.dir, 'spool.ts'))}
    const spool = new Spool({ folder: ${JSON.stringify(folder)}, ...spoolDefaults, fileLimitBytes: 1e9 })
    const receive = (size) => spool.receive(new Blob([new Uint8Array(size)]).stream(), 'a')
    ${program}`
  return Bun.spawn([...wrapper, process.execPath, '-e', source], { stdout: 'pipe', stderr: 'pipe' })
}

test('a full disk is a 503 that leaves nothing of the upload, and what is there stays', async () => {
  const program = `
    const kept = await receive(50_000)
    const error = await receive(2_000_000).catch((error) => error)
    const { readdirSync, statSync } = await import('node:fs')
    const files = readdirSync(${JSON.stringify(folder)})
    console.log(JSON.stringify([error.kind, error.code, error.message, files.length, statSync(kept.path).size]))`
  // Separate file system, or else a limit of the system on a process's files.
  const mount = `mount -t tmpfs -o size=256k tmpfs ${data}`
  const canMount = Bun.spawnSync(['unshare', '-rm', 'sh', '-c', mount]).success
  const wrapper = canMount ? ['unshare', '-rm', 'sh', '-c', `${mount} && exec "$@"`, 'sh'] : limited
  const child = run(program, wrapper)
  const [output, problem] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect(problem).toBe('')
  const message = expect.stringMatching(/^The server cannot store uploads now: its disk (is full|takes no file)/)
  expect(JSON.parse(output)).toEqual(['unavailable', 'storage_unavailable', message, 1, 50_000])
})

const limited = ['prlimit', '--fsize=65536:unlimited', 'sh', '-c', `trap '' XFSZ; exec "$@"`, 'sh']

test('what a killed server left is swept, and nothing else', async () => {
  const child = run("await receive(10); await receive(20); console.log('there'); setInterval(() => {}, 1e6)")
  await child.stdout.getReader().read()
  child.kill('SIGKILL')
  await child.exited
  const foreign = join(data, 'upload-0123456789abcdef0123456789abcdef')
  await Bun.write(foreign, 'of somebody else')
  await Bun.write(join(folder, 'notes.txt'), 'of somebody else')
  symlinkSync(foreign, join(folder, 'upload-00000000000000000000000000000000'))
  mkdirSync(join(folder, 'upload-11111111111111111111111111111111'))
  expect(left()).toHaveLength(5)
  expect(sweepSpool(folder)).toBe(2)
  expect(left().sort()).toEqual([
    'notes.txt',
    'upload-00000000000000000000000000000000',
    'upload-11111111111111111111111111111111',
  ])
  expect(existsSync(foreign)).toBe(true)
})

test('a link in the place of the spool is neither swept nor written through', async () => {
  const elsewhere = join(data, 'elsewhere')
  mkdirSync(elsewhere)
  symlinkSync(elsewhere, folder)
  await Bun.write(join(elsewhere, 'upload-0123456789abcdef0123456789abcdef'), 'x')
  expect(sweepSpool(folder)).toBe(0)
  await expect(newSpool().receive(uploadOf(1).upload, 'a')).rejects.toThrow('is no folder: move it away')
  expect(readdirSync(elsewhere)).toHaveLength(1)
})

test('a folder that is gone is a 503', async () => {
  folder = join(data, 'gone', 'spool')
  expect(await refusal(newSpool().receive(uploadOf(1).upload, 'a'))).toMatchObject({ code: 'storage_unavailable' })
})
