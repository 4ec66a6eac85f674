/**
 * The running server's answers to its own command line, over `<data>/control.sock`: reachable by the folder's owner
 * only, and not part of the HTTP API.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineStatus } from './engines/engine-process.ts'

/** What `inferd ps` shows. */
export interface ServerStatus {
  readonly pid: number
  readonly version: string
  readonly url: string
  readonly startedAtMs: number
  readonly engines: readonly EngineStatus[]
}

export interface ControlServer {
  stop(): Promise<void>
}

export function controlSocketPath(dataDir: string): string {
  return join(dataDir, 'control.sock')
}

/** Call it with the server lock held: a socket that is already there was left by a process that died. */
export function serveControl(dataDir: string, status: () => ServerStatus): ControlServer {
  const path = controlSocketPath(dataDir)
  rmSync(path, { force: true })
  const server = listenPrivately(path, (request) =>
    new URL(request.url).pathname === '/status'
      ? Response.json(status())
      : Response.json({ error: 'not found' }, { status: 404 }),
  )
  return {
    async stop() {
      await server.stop(true)
      rmSync(path, { force: true })
    },
  }
}

function listenPrivately(path: string, answer: (request: Request) => Response): Bun.Server<undefined> {
  // Not chmod afterwards: there must be no moment in which others can connect.
  const mask = process.umask(0o177)
  try {
    return Bun.serve({ unix: path, fetch: answer })
  } finally {
    process.umask(mask)
  }
}
