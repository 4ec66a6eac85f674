import { cpuSeconds, descendantsOf } from '../../shared/process-usage.ts'

/** One side of a contest. */
export interface Peer {
  readonly work: () => Promise<unknown>
  /** Process that does the work. Its descendants count too. */
  readonly pid: () => number
}

/** Same work by inferd, by an older inferd if there is one, and by sherpa-onnx used directly. */
export interface Contest {
  readonly name: string
  /** Length of all audio that is transcribed, or spoken. */
  readonly audioSeconds: number
  readonly inferd: Peer
  readonly before?: Peer
  readonly sherpa: Peer
  /** Least ratio of inferd's speed to sherpa-onnx's. */
  readonly goal?: number
}

export interface Effort {
  readonly seconds: number
  /** CPU time of the peer's processes. */
  readonly cpuSeconds: number
}

export interface Round {
  readonly contest: Contest
  readonly inferd: Effort
  readonly before: Effort | undefined
  readonly sherpa: Effort
}

/** Runs all contests in each round, with all peers in turns. A first round loads the models and does not count. */
export async function runContests(contests: readonly Contest[], rounds: number): Promise<Round[]> {
  const results: Round[] = []
  for (let round = 0; round <= rounds; round++) {
    for (const contest of contests) {
      const inferd = await effort(contest.inferd)
      const before = contest.before && (await effort(contest.before))
      const sherpa = await effort(contest.sherpa)
      if (round > 0) results.push({ contest, inferd, before, sherpa })
    }
  }
  return results
}

async function effort({ work, pid }: Peer): Promise<Effort> {
  const cpu = () => [pid(), ...descendantsOf(pid())].reduce((sum, each) => sum + cpuSeconds(each), 0)
  const [beginMs, beginCpuSeconds] = [performance.now(), cpu()]
  await work()
  return { seconds: (performance.now() - beginMs) / 1000, cpuSeconds: cpu() - beginCpuSeconds }
}
