import type { Command } from 'commander'
import type { ModelManifest } from '../core/model.ts'
import type { ServerLack, UpstreamServers } from '../core/upstream.ts'
import { checkFolderOwner } from '../db/folder-owner.ts'
import type { CheckedEndpoint } from '../engines/upstream/check/check-servers.ts'
import { findModel } from './find-model.ts'
import { type Columns, count, formatTable } from './format.ts'
import { CommandError, type Io, printAnswer, tryLaterExitCode, UsageError } from './io.ts'
import { configOf, newCommand, wholeNumberOption } from './options.ts'
import { stoppable } from './stoppable.ts'

const usualSeconds = 10
const secondsLimit = 600

export function checkCommand(io: Io): Command {
  const command = newCommand(
    'check',
    'ask the servers of an upstream model what they can do; what they lack is neither shown nor served until the next check',
  )
    .argument('<model>', 'its id')
    .option('--timeout <seconds>', 'how long each answer may take', String(usualSeconds))
    .option('--no-keep', 'only show what comes of it')
  return command.action(async (id: string) => {
    const seconds = wholeNumberOption(command, 'timeout') ?? Number.NaN
    if (!(seconds >= 1 && seconds <= secondsLimit))
      throw new UsageError(`--timeout must be a whole number from 1 to ${secondsLimit}`)
    const { data: dataDir } = configOf(command, io)
    checkFolderOwner(dataDir)
    const [{ checkServers, contextOf, countRequests, lacksOf }, { readUpstreamKey }, { writeCheckNote }] =
      await Promise.all([
        import('../engines/upstream/check/check-servers.ts'),
        import('../engines/upstream/read-key.ts'),
        import('../catalog/check-note.ts'),
      ])
    const { manifest, servers } = await findServers(dataDir, id)
    const key = servers.key && (await readUpstreamKey(servers.key, { ...io, warn: (text) => io.error(`${text}\n`) }))
    const requests = countRequests(manifest, servers)
    io.error(`${id}: ${count(servers.endpoints.length, 'server')} will compute ${count(requests, 'small request')}\n`)
    const endpoints = await stoppable('stopped; nothing was kept', (signal) =>
      checkServers({ manifest, servers, key, limitMs: seconds * 1000, signal }),
    )
    const checkedAtMs = Date.now()
    const lacks = lacksOf(endpoints)
    // If no server answered, the previous note stays.
    const isKept = command.getOptionValue('keep') === true && endpoints.some(({ isServing }) => isServing)
    if (isKept)
      writeCheckNote(dataDir, manifest, { checkedAtMs, contextTokens: contextOf(endpoints), lacks: [...lacks] })
    const { flavor } = servers
    printAnswer(command, io, { model: id, flavor, checkedAtMs, endpoints, lacks, isKept }, () =>
      reportText(endpoints, lacks, isKept),
    )
    requireAll(id, endpoints)
  })
}

async function findServers(
  dataDir: string,
  id: string,
): Promise<{ readonly manifest: ModelManifest; readonly servers: UpstreamServers }> {
  const { openCatalog } = await import('../catalog/open-catalog.ts')
  const catalog = openCatalog(dataDir)
  findModel(catalog, id)
  const manifest = catalog.writtenManifest(id)
  if (manifest?.upstream === undefined) {
    throw new CommandError(
      `no other server serves ${id}: 'inferd check' is for models of engine "upstream"; 'inferd verify ${id}' compares its files`,
    )
  }
  return { manifest, servers: manifest.upstream }
}

function wordOf(results: CheckedEndpoint['results'], name: string): string | undefined {
  return results.find(({ probe }) => probe === name)?.word
}

function reportText(endpoints: readonly CheckedEndpoint[], lacks: readonly ServerLack[], isKept: boolean): string {
  const labels = labelsOf(endpoints)
  const names = endpoints[0]?.results.map(({ probe }) => probe) ?? []
  const columns: Columns<string> = {
    PROBE: (name) => name,
    ...Object.fromEntries(endpoints.map(({ results }, at) => [labels[at], (name) => wordOf(results, name) ?? ''])),
  }
  const kept =
    lacks.length === 0
      ? 'Nothing is refused.'
      : `Refused, or done another way, until the next check: ${lacks.join(', ')}.`
  return `${formatTable(names, columns)}\n${remarks(endpoints, labels).join('')}${isKept ? kept : 'Nothing was kept.'}\n`
}

/** Returns host and port, if needed to tell the servers apart. */
function labelsOf(endpoints: readonly CheckedEndpoint[]): readonly string[] {
  const hosts = endpoints.map(({ url }) => new URL(url).host)
  return new Set(hosts).size === hosts.length ? hosts : endpoints.map(({ url }) => url)
}

/** Returns one line per remark with the servers it concerns. */
function remarks(endpoints: readonly CheckedEndpoint[], labels: readonly string[]): string[] {
  const places = new Map<string, string[]>()
  for (const [at, { results }] of endpoints.entries()) {
    for (const { probe, note, advice } of results) {
      const said = [note, advice].filter((part) => part !== undefined).join('; ')
      if (said === '') continue
      const text = `${probe}: ${said}`
      places.set(text, [...(places.get(text) ?? []), labels[at] ?? ''])
    }
  }
  return [...places].map(([text, at]) => `${text}${at.length === endpoints.length ? '' : ` (${at.join(', ')})`}\n`)
}

/** Throws if the servers lack a promised capability, or one of them did no work. */
function requireAll(id: string, endpoints: readonly CheckedEndpoint[]): void {
  const missing = endpoints.flatMap(({ results }) =>
    results.flatMap(({ probe, word, isPromised }) => (isPromised && word === 'no' ? probe : [])),
  )
  const lacking = [...new Set(missing)].filter((probe) => probe !== 'reachable')
  if (lacking.length > 0)
    throw new CommandError(
      `${id} lacks what its manifest promises: ${lacking.join(', ')}; mend the servers or the manifest`,
    )
  const silent = endpoints.filter(({ isServing }) => !isServing).length
  if (silent === 0) return
  const problem = `${count(silent, 'server')} of ${id} cannot be checked now: down or busy; check again when all work`
  throw new CommandError(problem, { exitCode: tryLaterExitCode })
}
