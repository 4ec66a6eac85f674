/** The engine child's main program: loads the model that the parent names and serves it over IPC. */
import { type ErrorData, errorData } from '../core/errors.ts'
import type { Placement } from '../core/memory.ts'
import { unreachable } from '../core/unreachable.ts'
import type { WorkKind } from '../core/work.ts'
import { deadlyPictureIn } from './deadly-pictures.ts'
import type { Engine } from './engine.ts'
import { engineTable } from './engine-table.ts'
import { loadFailure } from './load-error.ts'
import { PackedRequests } from './packed-request.ts'
import { type FromEngine, protocolVersion, type ToEngine } from './protocol.ts'

function send(message: FromEngine): void {
  process.send?.(message)
}

/** Serves until the parent says `stop` or ends. */
export function runEngineChild(): void {
  let engine: Engine | undefined
  let doneHere: readonly WorkKind[] = []
  let deadly: ReadonlySet<string> = new Set()
  const packed = new PackedRequests()
  if (process.send === undefined) {
    process.stderr.write('inferd engine is started by the server, not by hand\n')
    process.exit(2)
  }
  // Ctrl-C in a terminal reaches the whole process group; the parent decides when its children end.
  process.on('SIGINT', () => undefined)
  process.on('disconnect', () => process.exit(0))
  process.on('message', (message: ToEngine) => {
    switch (message.type) {
      case 'load':
        load(message).then((loaded) => {
          engine = loaded
          doneHere = engineTable[message.kind].work
          deadly = new Set(message.deadlyPictures ?? [])
          send({ type: 'ready', info: loaded.info })
        }, fail)
        return
      case 'estimate':
        estimate(message).then((placements) => {
          send({ type: 'placements', placements })
          process.exit(0)
        }, fail)
        return
      case 'devices':
        devices(message).then((found) => {
          send({ type: 'devices', devices: found })
          process.exit(0)
        }, fail)
        return
      case 'run': {
        const { id, accountId, work } = message
        if (engine === undefined || !doneHere.includes(work.kind)) return refuse(id, work.kind)
        const whole = packed.complete(id, work)
        const problem = deadlyPictureIn(whole, deadly)
        return problem === undefined ? engine.run(id, accountId, whole) : end(id, errorData(problem))
      }
      case 'grant':
        engine?.grant(message.id, message.grant)
        return
      case 'packed':
        packed.add(message.id, message.bytes)
        return
      case 'cancel':
        packed.forget(message.id)
        engine?.cancel(message.id)
        return
      case 'pause':
        engine?.pause?.(message.id, message.isPaused)
        return
      case 'stats':
        send({ type: 'stats', id: message.id, stats: engine?.stats() })
        return
      case 'threads':
        engine?.useThreads(message.count)
        return
      case 'stop':
        return process.exit(0)
      default:
        unreachable(message)
    }
  })
}

/** Manifests whose type does not fit their engine are refused before: this is a bug, and must not leave a client waiting. */
function refuse(id: number, kind: WorkKind): void {
  end(id, { kind: 'internal', code: 'internal_error', message: `this engine cannot ${kind}` })
}

function end(id: number, error: ErrorData): void {
  send({ type: 'events', events: [{ id, error }] })
}

function fail(error: unknown): never {
  send({ type: 'load-failed', ...loadFailure(error) })
  process.exit(1)
}

function requireVersion(version: number): void {
  if (version !== protocolVersion) throw new Error('server and engine are of different versions; restart inferd')
}

async function estimate(message: Extract<ToEngine, { type: 'estimate' }>): Promise<readonly Placement[]> {
  requireVersion(message.version)
  const { placements } = engineTable[message.kind]
  const estimatePlacements = 'inChild' in placements ? await placements.inChild() : placements.inServer
  const { model, settings, runtime, budgetBytes } = message
  return estimatePlacements({ model, settings: settings as never, runtime, budgetBytes })
}

async function devices({ version, kind, runtime }: Extract<ToEngine, { type: 'devices' }>) {
  requireVersion(version)
  const readDevices = await engineTable[kind].devices?.()
  return readDevices === undefined ? [] : readDevices(runtime)
}

async function load(message: Extract<ToEngine, { type: 'load' }>): Promise<Engine> {
  requireVersion(message.version)
  const loadEngine = await engineTable[message.kind].load?.()
  if (loadEngine === undefined) throw new Error(`this program has no engine of kind '${message.kind}'`)
  const { model, settings, runtime, isCautious, suspectPictures, placement } = message
  // The server filled them by the same row.
  return loadEngine({
    model,
    settings: settings as never,
    runtime,
    isCautious,
    suspectPictures,
    placement,
    onProgress: (fraction) => send({ type: 'progress', fraction }),
    emit: (events) => send({ type: 'events', events }),
  })
}
