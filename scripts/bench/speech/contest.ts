import { cpuSeconds, descendantsOf } from '../../shared/process-usage.ts'

/** The same work by inferd and by sherpa-onnx driven directly. */
export interface Contest {
  readonly name: string
  /** All that is heard, or spoken. */
  readonly audioSeconds: number
  readonly inferd: () => Promise<unknown>
  readonly sherpa: () => Promise<unknown>
  /** What the ratio should be at least. */
  readonly goal?: number
}

export interface Effort {
  readonly seconds: number
  readonly cpuSeconds: number
}

export interface Round {
  readonly contest: Contest
  readonly inferd: Effort
  readonly sherpa: Effort
}

/**
 * Runs all contests in each round, inferd and sherpa-onnx by turns, and first once without counting, which loads the
 * models. CPU time is that of this process's children: of sherpa-onnx that of its process, of inferd that of all others.
 */
export async function runContests(contests: readonly Contest[], rounds: number, sherpaPid: number): Promise<Round[]> {
  const results: Round[] = []
  for (let round = 0; round <= rounds; round++) {
    for (const contest of contests) {
      const inferd = await effort(contest.inferd, () => descendantsOf(process.pid).filter((pid) => pid !== sherpaPid))
      const sherpa = await effort(contest.sherpa, () => [sherpaPid])
      if (round > 0) results.push({ contest, inferd, sherpa })
    }
  }
  return results
}

async function effort(work: () => Promise<unknown>, pids: () => readonly number[]): Promise<Effort> {
  const cpu = () => pids().reduce((sum, pid) => sum + cpuSeconds(pid), 0)
  const [beginMs, beginCpuSeconds] = [performance.now(), cpu()]
  await work()
  return { seconds: (performance.now() - beginMs) / 1000, cpuSeconds: cpu() - beginCpuSeconds }
}
