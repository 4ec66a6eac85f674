/** The proof that prompts are never stored: marked requests of all kinds, crashes, and a search of every byte. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type CanaryServer, startCanaryServer } from './canary-server.ts'
import { type MarkedRequest, markedRequests, sendRunning, starterRequests } from './marked-requests.ts'
import { type Hit, markedWord, searchFolders } from './marked-words.ts'

export interface CanaryReport {
  /** Requests by kind and status; 0 where the connection broke. */
  readonly requests: Readonly<Record<string, number>>
  /** Files of the spool while requests ran: the exception. */
  readonly spooled: number
  /** Core dumps that the kernel wrote. */
  readonly coreDumps: number
  readonly files: number
  readonly bytes: number
  readonly hits: readonly Hit[]
}

interface CanaryOptions {
  /** Times that each kind of request is sent. The server is killed after each. */
  readonly rounds: number
  /** True to ask the models that come with the program, too. */
  readonly asksStarters: boolean
}

/** Sends requests of all kinds, kills the server in between, and searches everything that it wrote. */
export async function searchAfterRequests({ rounds, asksStarters }: CanaryOptions): Promise<CanaryReport> {
  await using server = await startCanaryServer(['--no-log-upstream-text'])
  const wanted = [...markedRequests, ...(asksStarters ? starterRequests : [])]
  const requests: Record<string, number> = {}
  const signals: NodeJS.Signals[] = ['SIGKILL', 'SIGABRT', 'SIGSEGV']
  let spooled = 0
  for (let round = 0; round < rounds; round++) {
    await sendAll(server, wanted, requests)
    await sendRunning(server)
    spooled += server.spooled().length
    await server.restart(signals[round % signals.length] ?? 'SIGKILL')
  }
  await server.run('backup')
  await server.run('audit', 'export')
  await server.run('requests')
  await server.run('doctor')
  await server.run('usage')
  await server.stop()
  const coreDumps = readdirSync(join(server.folder, 'cwd')).filter((name) => name.startsWith('core')).length
  return { requests, spooled, coreDumps, ...searchFolders([server.folder]) }
}

async function sendAll(
  server: CanaryServer,
  wanted: readonly MarkedRequest[],
  requests: Record<string, number>,
): Promise<void> {
  for (const { kind, send } of wanted) {
    const status = await send(server, markedWord()).then(
      (answer) => (answer instanceof Response ? answer.status : 0),
      () => 0,
    )
    const name = `${kind}: ${status}`
    requests[name] = (requests[name] ?? 0) + 1
  }
}
