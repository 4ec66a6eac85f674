/** Probe of whether a server ends a request whose client has disconnected. */
import { askChat, type CheckedServer } from './checked-server.ts'
import { judgeCancel } from './judge-chat.ts'
import { questions } from './questions.ts'
import { serverLoad } from './server-load.ts'
import type { Verdict } from './verdict.ts'

/** Token limit for an answer that takes longer than the check. */
const manyTokens = 2048
const lookEveryMs = 100
/** Time for a server to report a request, and its end. */
const patienceMs = 3_000

export async function askCancel(server: CheckedServer): Promise<Verdict> {
  const before = await serverLoad(server)
  let during = before
  const onBegun = async () => {
    if (before === 0) during = await loadThat(server, (load) => load > 0)
  }
  const { end } = await askChat(server, { request: questions.long, maxTokens: manyTokens, onBegun })
  // The answer was over before it could be cancelled.
  if (end !== undefined) return { word: 'not tried', note: 'the answer was over before it could be left' }
  const after = before === 0 ? await loadThat(server, (load) => load === 0) : before
  return judgeCancel({ before, during, after })
}

/** Returns the first load that passes the test, else the last one; undefined if the server stops reporting. */
async function loadThat(server: CheckedServer, isRight: (load: number) => boolean): Promise<number | undefined> {
  const giveUpAtMs = performance.now() + Math.min(patienceMs, server.limitMs / 3)
  for (;;) {
    const load = await serverLoad(server)
    if (load === undefined || isRight(load) || performance.now() > giveUpAtMs) return load
    await Bun.sleep(lookEveryMs)
  }
}
