/** Models of this disk and of the catalog, which the running server lists, downloads and removes. */
import { Type } from '@sinclair/typebox'
import { auditors } from '../core/roles.ts'
import type { RemovalProblem } from '../library/remove-model.ts'
import { lineOf, trueOrFalse } from './fields.ts'
import { actorOf, type OperationServices, ofServer, operation, runningServer } from './operation.ts'
import { ownPassword, requireOwnPassword } from './own-password.ts'
import { OperationError } from './problem.ts'

const model = lineOf('is named by its id', 200)

const pullSource = lineOf(
  'is an id of the catalog, hf:org/repository:Q4_K_M, https://…/file.gguf or inferd://host/org/name',
  2000,
)
/** Id to give a model that is not in the catalog. */
const pullId = Type.Optional(lineOf('is an id for the model, org/name', 200))
/** True to fetch the projector of a repository of the hub too, so that the model sees. */
const pullProjector = Type.Optional(trueOrFalse())

/** Lists all models, with their disk and memory needs and their current jobs. */
export const listModels = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  asksServer: true,
  input: Type.Object({}),
  prepare: (context) => runningServer(context).library.list(),
  run: ({ stores }, _, prepared) => {
    const { models, ...rest } = ofServer(prepared)
    const lastUses = stores.usage.lastUses()
    const pinned = new Set(stores.pinnedModels.list())
    const shown = models.map((row) => ({ ...row, isPinned: pinned.has(row.id), lastUsedMs: lastUses[row.id] }))
    return { models: shown, ...rest }
  },
})

/** Shows everything about one model, with its files, their checksums, and its settings in force. */
export const showModel = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({ model: lineOf('is named by its id or an alias', 200) }),
  prepare: async (context, { model: name }) => {
    const shown = await runningServer(context).library.show(name)
    if (shown === undefined) throw new OperationError({ code: 'not_found', what: 'model', name })
    return shown
  },
  run: ({ stores }, _, prepared) => {
    const shown = ofServer(prepared)
    const isPinned = stores.pinnedModels.list().includes(shown.id)
    return { ...shown, isPinned, lastUsedMs: stores.usage.lastUses()[shown.id] }
  },
})

/**
 * Starts the download of a model, or continues a stopped one. Checks the source and the free space before the first
 * byte. Does nothing if the download is running already.
 */
export const pullModel = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    source: pullSource,
    id: pullId,
    withProjector: pullProjector,
    current: ownPassword,
    /** True to download even if the model does not fit, or its id is taken. */
    force: Type.Optional(trueOrFalse()),
    acceptLicense: Type.Optional(lineOf('is the id of a licence', 200)),
  }),
  prepare: async (context, { source, id: newId, withProjector = false, force = false, acceptLicense, current }) => {
    const { pulls } = runningServer(context).library
    if (pulls.sendsShareKey(source)) await requireOwnPassword(context, current)
    const prepared = await pulls.prepare({ source, id: newId, withProjector, isForced: force })
    if (prepared.kind !== 'prepared')
      throw new OperationError({ code: 'pull_refused', why: prepared.kind, reason: prepared.reason })
    const { model: id, license: asked } = prepared
    if (pulls.isPulledElsewhere(id)) throw new OperationError({ code: 'pull_running', model: id })
    if (asked !== undefined && asked.license !== acceptLicense && !isAccepted(context, asked))
      throw new OperationError({ code: 'license_not_accepted', model: id, ...asked })
    return prepared
  },
  run: ({ stores, caller }, { acceptLicense }, prepared) => {
    const actor = actorOf(caller)
    const { model: id, license: asked, missingBytes, notes, start } = ofServer(prepared)
    if (asked !== undefined && asked.license === acceptLicense) {
      const isFirst = stores.acceptedLicenses.accept({ ...asked, modelId: id, actor })
      const details = { license: asked.license, text: asked.text, model: id }
      if (isFirst) stores.audit.append({ actor, action: 'license.accept', details })
    }
    if (start()) stores.audit.append({ actor, action: 'model.pull', details: { model: id } })
    return { model: id, missingBytes, notes }
  },
})

function isAccepted(
  { stores }: OperationServices,
  { license, text }: { readonly license: string; readonly text: string },
): boolean {
  return stores.acceptedLicenses.list().some((row) => row.license === license && row.text === text)
}

/** Returns the size of a download, the free space of the disk, whether the model fits, and its licence. Starts nothing. */
export const previewPull = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({ source: pullSource, id: pullId, withProjector: pullProjector, current: ownPassword }),
  prepare: async (context, { source, id, withProjector = false, current }) => {
    const { library } = runningServer(context)
    if (library.pulls.sendsShareKey(source)) await requireOwnPassword(context, current)
    const outlook = await library.pullOutlook({ source, id, withProjector })
    if (outlook.kind !== 'outlook')
      throw new OperationError({ code: 'pull_refused', why: outlook.kind, reason: outlook.reason })
    return outlook
  },
  run: (context, _, prepared) => {
    const { model, bytes, freeDiskBytes, fit, license } = ofServer(prepared)
    if (license === undefined) return { model, bytes, freeDiskBytes, fit, license }
    const { name, url = name } = license
    const mustAccept = license.mustAccept && !isAccepted(context, { license: name, text: url })
    return { model, bytes, freeDiskBytes, fit, license: { ...license, mustAccept } }
  },
})

/** Stops a download of the server. Keeps its bytes, from which the model's next download continues. */
export const cancelPull = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ model }),
  prepare: async (context, { model: name }) => {
    const wasRunning = await runningServer(context).library.pulls.cancel(name)
    if (!wasRunning) throw new OperationError({ code: 'not_found', what: 'download', name })
    return name
  },
  run: ({ stores, caller }, _, prepared) => {
    const id = ofServer(prepared)
    stores.audit.append({ actor: actorOf(caller), action: 'model.pull-cancel', details: { model: id } })
    return { model: id }
  },
})

/** Removes a model's files. Refused while requests run, unless it waits for them (`drain`) or fails them (`now`). */
export const removeModel = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ model, drain: Type.Optional(trueOrFalse()), now: Type.Optional(trueOrFalse()) }),
  prepare: async (context, { model: id, drain = false, now = false }) => {
    const { library } = runningServer(context)
    const models = ofServer(context.models)
    if (models.find(id) !== id) throw new OperationError({ code: 'not_found', what: 'model', name: id })
    requireRemovable(library.removalProblem(id), id)
    const { running, waiting } = models.requestsOf(id)
    if (running + waiting > 0 && !drain && !now)
      throw new OperationError({ code: 'model_busy', model: id, running, waiting })
    const removed = await library.remove(id, () => models.unload(id, now ? 'now' : 'drain'))
    if ('kind' in removed) throw problemError(removed, id)
    return removed
  },
  run: ({ stores, caller }, { model: id }, prepared) => {
    const removed = ofServer(prepared)
    stores.pinnedModels.remove(id)
    stores.audit.append({ actor: actorOf(caller), action: 'model.remove', details: { model: id } })
    return removed
  },
})

function requireRemovable(problem: RemovalProblem | undefined, id: string): void {
  if (problem !== undefined) throw problemError(problem, id)
}

function problemError(problem: RemovalProblem, id: string): OperationError {
  return problem.kind === 'pull-running'
    ? new OperationError({ code: 'pull_running', model: id })
    : new OperationError({ code: 'model_not_removable', model: id, why: problem.kind })
}

/** Records that the operator accepts a licence. Repeating it changes nothing. */
export const acceptLicense = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    license: lineOf('is named by its id', 200),
    text: lineOf('is the sum of a text or its address', 2000),
    modelId: lineOf('is named by its id', 200),
  }),
  run: ({ stores, caller }, { license, text, modelId }) => {
    const actor = actorOf(caller)
    const isFirst = stores.acceptedLicenses.accept({ license, text, modelId, actor })
    if (isFirst) stores.audit.append({ actor, action: 'license.accept', details: { license, text, model: modelId } })
    return { license, text, isFirst }
  },
})

/** Lists the accepted licences. */
export const listLicenses = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores }) => stores.acceptedLicenses.list(),
})
