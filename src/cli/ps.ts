import type { Command } from 'commander'
import type { CacheReason, ReasonedLayout } from '../core/cache-layout.ts'
import { type LoadPhase, loadPhases, sumOfTimes } from '../core/load-phases.ts'
import { sizeText } from '../core/quantities.ts'
import { checkFolderIsOpen } from '../db/folder-owner.ts'
import { backendsTried } from '../engines/backends/backend-words.ts'
import type { ServerStatus } from '../server/control.ts'
import { askServer, askSteps } from './control-client.ts'
import { count, formatTable } from './format.ts'
import { type Io, jsonLine, printAnswer, wantsJson } from './io.ts'
import { configOf, newCommand } from './options.ts'
import { noServer } from './running-servers.ts'
import { stepsText } from './step-table.ts'

type Engine = ServerStatus['engines'][number]
type Pool = ServerStatus['pools'][number]

interface Asked {
  readonly loads?: true
  readonly steps?: true
}

/** Help on the names of a model's memory, in the table and as JSON. */
const memoryHelp = `
Memory of a model:
  ESTIMATE  (estimatedBytes)  what a load is expected to take
  RESERVED  (reservedBytes)   what is kept for the model now
  USED      (usedBytes)   what its process takes now
  CACHE     (info.cacheLayout)  one KV cache, or how many of which length

--loads shows how long the last load of each model took, and its phases in
milliseconds (loadTimes).

Models are counted by "models" of --json: installed ones can be asked, loaded
ones are in memory, ready ones take new requests. An engine that labels
speakers has a row and is no model of its own.
`

export function psCommand(io: Io): Command {
  const command = newCommand('ps', 'show the running server, its models and their memory').addHelpText(
    'after',
    memoryHelp,
  )
  command.option('--loads', 'show how long the last loads took, by phases, in place of the rest')
  command.option('--steps', "show where the time of loaded models' steps went, in place of the rest")
  return command.action(async ({ loads: wantsLoads, steps: wantsSteps }: Asked) => {
    const { data: dataDir } = configOf(command, io)
    checkFolderIsOpen(dataDir)
    if (wantsSteps) {
      const steps = await askSteps(dataDir)
      if (steps === undefined) throw await noServer(dataDir)
      return printAnswer(command, io, { models: steps }, () => io.hint(stepsText(steps)))
    }
    const answer = await askServer(dataDir)
    if (answer === undefined) {
      const none = { running: false, endpoints: [], engines: [], pools: [], queue: [], backends: [] }
      if (wantsJson(command)) io.out(jsonLine(none))
      throw await noServer(dataDir)
    }
    const status = { ...answer, engines: answer.engines.map(withoutUnknownSize) }
    printAnswer(command, io, { running: true, ...status }, () =>
      io.hint(wantsLoads ? loadsText(status.engines) : statusText(status)),
    )
  })
}

function statusText(status: ServerStatus): string {
  const { engines, pools, version, pid, url, models: counts } = status
  const problems = [
    ...backendsTried(status.backends),
    ...status.backendProblems.map(({ text, advice }) => `${text}; ${advice}`),
  ].map((text) => `${text}.\n`)
  const models = engines.length === 0 ? 'A request or --preload loads a model.\n' : engineTable(engines)
  const memory = pools.length === 0 ? '' : `${poolTable(pools)}\n`
  return `inferd ${version}, pid ${pid}, ${url}\n${countsText(counts)}\n${problems.join('')}${memory}${models}`
}

/** Returns the table of load times, without phases that no model has. */
function loadsText(engines: readonly Engine[]): string {
  const loaded = engines.flatMap(({ modelId, loadTimes }) => (loadTimes === undefined ? [] : [{ modelId, loadTimes }]))
  if (loaded.length === 0) return 'No model was loaded since the server started.\n'
  const phases = loadPhases.filter((phase) => loaded.some(({ loadTimes }) => loadTimes[phase] !== undefined))
  const column = (phase: LoadPhase) => [
    phaseNames[phase],
    ({ loadTimes }: (typeof loaded)[number]) => milliseconds(loadTimes[phase]),
  ]
  return formatTable(loaded, {
    MODEL: ({ modelId }) => modelId,
    TOTAL: ({ loadTimes }) => milliseconds(sumOfTimes(loadTimes)),
    ...Object.fromEntries(phases.map(column)),
  })
}

const phaseNames: Readonly<Record<LoadPhase, string>> = {
  dryRun: 'DRY RUN',
  files: 'FILES',
  process: 'PROCESS',
  libraries: 'LIBRARIES',
  weights: 'WEIGHTS',
  template: 'TEMPLATE',
  context: 'CONTEXT',
  projector: 'PROJECTOR',
  tokenizer: 'TOKENIZER',
  check: 'CHECK',
}

function milliseconds(ms: number | undefined): string {
  return ms === undefined ? '-' : `${Math.round(ms)} ms`
}

function countsText({ installed, loaded, ready }: ServerStatus['models']): string {
  const unready = loaded === ready ? '' : ` (${ready} ready)`
  return `${count(installed, 'model')} installed, ${loaded} loaded${unready}`
}

/** Removes the "?B" that llama.cpp writes if it has no name for a model's size. */
function withoutUnknownSize(engine: Engine): Engine {
  const { info } = engine
  return info === undefined
    ? engine
    : { ...engine, info: { ...info, description: info.description.replace(' ?B', '') } }
}

function poolTable(pools: readonly Pool[]): string {
  return formatTable(pools, {
    MEMORY: ({ id, isFrozen }) => (isFrozen ? `${id} (a process there does not end)` : id),
    TOTAL: ({ totalBytes }) => size(totalBytes),
    FREE: ({ freeBytes }) => size(freeBytes),
    KEPT: ({ keptBytes }) => size(keptBytes),
    OTHERS: ({ foreignBytes }) => size(foreignBytes),
    'FOR MODELS': ({ roomBytes }) => size(roomBytes),
    RESERVED: ({ reservedBytes }) => size(reservedBytes),
  })
}

function engineTable(engines: readonly Engine[]): string {
  return formatTable(engines, {
    MODEL: ({ modelId }) => modelId,
    STATE: stateText,
    PID: ({ pid }) => String(pid ?? '-'),
    DEVICE: ({ info, placement }) =>
      [info?.device ?? placement ?? '-', info?.provider, info?.remark && `(${info.remark})`].filter(Boolean).join(' '),
    RUNNING: ({ running, info }) => (info?.parallel ? `${running}/${info.parallel}` : String(running)),
    WAITING: ({ waiting, longestWaitMs }) =>
      longestWaitMs > 0 ? `${waiting}, ${Math.round(longestWaitMs / 1000)} s` : String(waiting),
    ESTIMATE: ({ estimatedBytes }) => poolSizes(estimatedBytes),
    RESERVED: ({ reservedBytes }) => poolSizes(reservedBytes),
    USED: ({ usedBytes }) => poolSizes(usedBytes),
    CACHE: ({ info }) => (info?.cacheLayout === undefined ? '-' : cacheText(info.cacheLayout)),
    LOADS: ({ loads }) => String(loads),
    UNLOADED: ({ stops }) =>
      Object.entries(stops)
        .map(([reason, times]) => `${times} ${reason}`)
        .join(', ') || '-',
    RESTARTS: ({ restarts }) => String(restarts),
    'LAST FAILURE': ({ failedLoad, lastExit }) => (failedLoad ?? lastExit ?? '-').replaceAll('\n', ' '),
  })
}

function stateText({ state, loadedFraction, isCompiling, isPinned }: Engine): string {
  const text = loadedFraction === undefined ? state : `${state} ${Math.round(loadedFraction * 100)} %`
  return [text, isCompiling && 'compiling for this card, once', isPinned && 'pinned'].filter(Boolean).join(', ')
}

function poolSizes(bytes: Engine['usedBytes']): string {
  const sizes = Object.entries(bytes ?? {}).filter(([, size]) => size > 0)
  const [only] = sizes
  if (only === undefined) return '-'
  return sizes.length === 1 && only[0] === 'host'
    ? size(only[1])
    : sizes.map(([pool, each]) => `${pool} ${size(each)}`).join(', ')
}

function size(bytes: number | undefined): string {
  return bytes === undefined ? '-' : sizeText(bytes)
}

const reasons: Readonly<Record<CacheReason, string>> = {
  'request-tokens': 'as set',
  'all-fit': 'every request fits',
  cpu: 'on a CPU',
  'draft-head': 'for its draft head',
  'sliding-window': 'for its sliding window',
  'long-factors': 'for its LongRoPE',
  fastest: 'fastest',
  'long-requests': 'for long requests',
}

/** Returns the layout and the reason for it: "one (on a CPU)", "8 of 4096 tokens (fastest)". */
export function cacheText({ isUnified, sequences, tokensEach, reason }: ReasonedLayout): string {
  return `${isUnified ? 'one' : `${sequences} of ${tokensEach} tokens`} (${reasons[reason]})`
}
