/**
 * Answers of the running server to its own command line, over `<data>/control.sock`. Only the folder's owner can reach
 * it. No part of the HTTP API.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelCounts } from '../core/model-counts.ts'
import type { StepTimes } from '../core/step-times.ts'
import type { BackendProblem } from '../engines/backends/backend-words.ts'
import type { JudgedBackend } from '../engines/protocol/backend.ts'
import type { EngineStats } from '../engines/protocol/engine.ts'
import { toJsonText } from '../operations/as-json.ts'
import type { ListedEndpoint } from '../operations/endpoints.ts'
import type { toListedReport } from '../operations/models.ts'
import type { TailLine } from '../telemetry/log-line.ts'
import type { LogTail } from '../telemetry/log-tail.ts'
import type { TlsStatus } from './encryption.ts'
import type { OperationReply } from './perform.ts'

/** Figures that `inferd ps` shows. */
export interface ServerStatus extends ReturnType<typeof toListedReport> {
  readonly models: ModelCounts
  /** Judged backends. Empty while the libraries are unpacked. */
  readonly backends: readonly JudgedBackend[]
  /** Problems of backends, and cards that this program has no library for. */
  readonly backendProblems: readonly BackendProblem[]
  /** Endpoints of upstream models. */
  readonly endpoints: readonly ListedEndpoint[]
  readonly pid: number
  readonly version: string
  readonly url: string
  /** Address for programs of this machine, without TLS where that is served */
  readonly localUrl: string
  /** Certificate in use. Undefined without TLS. */
  readonly tls: TlsStatus | undefined
  readonly startedAtMs: number
}

/** Time of a loaded model's steps by phase. */
export interface ModelSteps {
  readonly modelId: string
  readonly steps: number
  readonly generatedTokens: number
  readonly promptTokens: number
  readonly phases: StepTimes
}

interface ControlAnswers {
  status(): ServerStatus
  /** Asks the engines of loaded models for their steps. Resolves when all have answered. */
  steps(): Promise<readonly ModelSteps[]>
  /** Ends a model's engine: with `drain` after its running requests, with `now` at once. */
  unload(modelId: string, how: 'drain' | 'now'): Promise<void>
  /** Latest lines of the log, and new ones. */
  readonly log: Pick<LogTail, 'lines' | 'follow'>
  /** Performs an operation for a command. `request` is the unchecked body. */
  perform(name: string, request: unknown): Promise<OperationReply>
}

export function controlSocketPath(dataDir: string): string {
  return join(dataDir, 'control.sock')
}

/** Returns the model's steps; undefined for an engine that reports none. */
export function modelSteps(
  modelId: string,
  { steps, generatedTokens, decodedPromptTokens, stepTimes }: EngineStats,
): ModelSteps | undefined {
  if (stepTimes === undefined) return undefined
  return { modelId, steps, generatedTokens, promptTokens: decodedPromptTokens, phases: stepTimes }
}

/** Serves commands. Call it with the server lock held: an existing socket is then a leftover of a process that died. */
export function serveControl(dataDir: string, answers: ControlAnswers): { stop(): Promise<void> } {
  const path = controlSocketPath(dataDir)
  rmSync(path, { force: true })
  const server = listenPrivately(path, (request) => answer(answers, request))
  return {
    async stop() {
      await server.stop(true)
      rmSync(path, { force: true })
    },
  }
}

async function answer(answers: ControlAnswers, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  if (request.method === 'GET' && pathname === '/status') return Response.json(answers.status())
  if (request.method === 'GET' && pathname === '/steps') return Response.json(await answers.steps())
  if (request.method === 'GET' && pathname === '/log') {
    const count = Number(searchParams.get('lines') ?? 0)
    return logAnswer(answers.log, { count, isFollowing: searchParams.has('follow') })
  }
  if (request.method === 'POST' && pathname === '/unload') {
    const { modelId, how }: Partial<Record<string, unknown>> = Object(await request.json().catch(() => undefined))
    if (typeof modelId !== 'string') return Response.json({ error: 'no model' }, { status: 400 })
    await answers.unload(modelId, how === 'drain' ? 'drain' : 'now')
    return Response.json({})
  }
  const [, name] = /^\/operations\/([\w-]+)$/.exec(pathname) ?? []
  if (request.method !== 'POST' || name === undefined) return Response.json({ error: 'not found' }, { status: 404 })
  const body: unknown = await request.json().catch(() => undefined)
  return new Response(toJsonText(await answers.perform(name, body)), {
    headers: { 'content-type': 'application/json' },
  })
}

/** Most unread lines of a slow reader, after which its answer ends. */
const behindLimit = 10_000

/** Answers with lines of JSON, and continues with new lines until the reader leaves. */
function logAnswer(
  log: ControlAnswers['log'],
  { count, isFollowing }: { readonly count: number; readonly isFollowing: boolean },
): Response {
  let end: () => void = () => undefined
  const lines = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (line: TailLine) => controller.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n`))
      const latest = count === 0 ? [] : log.lines().slice(-count)
      for (const line of latest) send(line)
      if (!isFollowing) return controller.close()
      end = log.follow((line) => {
        if ((controller.desiredSize ?? 0) > -behindLimit) return send(line)
        end()
        controller.close()
      })
    },
    cancel: () => end(),
  })
  return new Response(lines, { headers: { 'content-type': 'application/x-ndjson' } })
}

function listenPrivately(path: string, fetch: (request: Request) => Promise<Response>): Bun.Server<undefined> {
  // A umask instead of a later chmod, since others must never be able to connect.
  const mask = process.umask(0o177)
  try {
    return Bun.serve({
      unix: path,
      fetch(request, server) {
        // No time limit here, since a drain takes as long as the running requests. The client has one.
        server.timeout(request, 0)
        return fetch(request)
      },
    })
  } finally {
    process.umask(mask)
  }
}
