import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes, testChunkBytes } from '../../src/testing/downloads.ts'
import { type FakeHub, sha256Of, startFakeHub } from '../../src/testing/fake-hub/fake-hub.ts'

export interface KillReport {
  readonly kills: number
  /** Kills while bytes came. */
  readonly midway: number
  /** Starts after a kill that continued with the existing part. */
  readonly resumed: number
}

const chunks = 48
const once = join(import.meta.dir, '..', '..', 'src', 'testing', 'download-once.ts')
/** Bytes per second, slow enough that chunks are flushed before the last one has come. */
const rate = 15_000_000
/**
 * Longest time from the last sent byte to a late kill, which every second kill is: it comes while the file is hashed
 * and put in place.
 */
const lateMs = 60

/**
 * Kills downloading processes at random moments. After each kill, a start without a kill must end in the right file.
 */
export async function killPulls(kills: number, random: () => number = Math.random): Promise<KillReport> {
  await using hub = await startFakeHub()
  const content = randomBytes(chunks * testChunkBytes - 1000)
  hub.put('org/repo', 'model.bin', content)
  const folder = mkdtempSync(join(tmpdir(), 'inferd-kills-'))
  const target = join(folder, 'model.bin')
  const report = { kills: 0, midway: 0, resumed: 0 }
  try {
    while (report.kills < kills) {
      await startAndKill(hub, target, report.kills % 2 === 1, random)
      report.kills++
      requireRight(target, content)
      if (existsSync(`${target}.part`)) report.midway++
      const before = hub.requests.length
      const child = start(hub, target)
      if ((await child.exited) !== 0) throw new Error(`kill ${report.kills}: the next start failed`)
      const asked = hub.requests.slice(before).filter(({ at, headers }) => at === 'store' && headers.has('range'))
      if (asked.length < chunks) report.resumed++
      if (!existsSync(target)) throw new Error(`kill ${report.kills}: no file is in place after the next start`)
      requireRight(target, content)
      const left = readdirSync(folder).filter((name) => name !== 'model.bin')
      if (left.length > 0) throw new Error(`kill ${report.kills}: ${left.join(', ')} is left`)
      rmSync(target)
    }
    return report
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function start({ origin }: FakeHub, target: string): Bun.Subprocess {
  const address = `${origin}/org/repo/resolve/main/model.bin`
  const words = [
    process.execPath,
    once,
    address,
    target,
    '--chunk-bytes',
    String(testChunkBytes),
    '--rate',
    String(rate),
  ]
  return Bun.spawn(words, { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' })
}

/** Kills a download at a random request, or a late one after the last. */
async function startAndKill(hub: FakeHub, target: string, isLate: boolean, random: () => number): Promise<void> {
  const fatal = isLate ? chunks : Math.ceil(random() * chunks)
  const pauseMs = random() * (isLate ? lateMs : 5)
  const child = start(hub, target)
  let asked = 0
  hub.fault = ({ at }) => {
    if (at === 'store' && ++asked === fatal) setTimeout(() => child.kill('SIGKILL'), pauseMs)
    return undefined
  }
  await child.exited
  hub.fault = () => undefined
}

function requireRight(target: string, content: Uint8Array): void {
  if (existsSync(target) && sha256Of(readFileSync(target)) !== sha256Of(content)) {
    throw new Error('a wrong file is in place')
  }
}
