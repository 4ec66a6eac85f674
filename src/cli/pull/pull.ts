import type { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { checkFolderOwner } from '../../db/folder-owner.ts'
import { createDataFolder } from '../../db/private-file.ts'
import type { Preflight } from '../../library/preflight.ts'
import type { ModelPlan } from '../../store/plan.ts'
import type { SourceContext, SourcePlan } from '../../store/sources/source.ts'
import { addAcceptLicenseFlag, requireAcceptance } from '../accept-licenses.ts'
import { CommandError, type Io, printAnswer, UsageError, wantsJson } from '../io.ts'
import { configOf, newCommand, optionText } from '../options.ts'
import { stoppable } from '../stoppable.ts'
import { pullFailure, stoppedText } from './failure.ts'
import { gpuFilesWish } from './gpu-files-wish.ts'
import { planText, planToJson } from './plan-text.ts'

export function pullCommand(io: Io): Command {
  const command = newCommand('pull', 'download models; run again, it goes on where it was')
    .argument(
      '<source...>',
      'ids of the catalog, hf:org/repository:Q4_K_M, hf:org/repository/file.gguf, https://…/file.gguf, inferd://host/org/name',
    )
    .option('--id <org/name>', 'the id of a model that is not in the catalog')
    .option('--mmproj', 'the projector of the repository too: the model sees')
    .option('--gpu-files', 'files that speech prefers on a GPU too; without it they come where speech computes on one')
    .option('--no-gpu-files', 'without files that speech prefers on a GPU')
    .option('--sha256 <sum>', 'the sum that the file must have')
    .option('--plan', 'show what would be downloaded, and whether it fits here; download nothing')
    .option('--force', 'go on although it does not fit, or the id is taken')
    .option('--insecure', 'allow plain http and redirects to private addresses')
  return addAcceptLicenseFlag(command).action(async (sources: string[]) => {
    const config = configOf(command, io)
    checkFolderOwner(config.data)
    try {
      await stoppable(stoppedText, (signal) => pull(command, io, { sources, config, signal }))
    } catch (error) {
      throw pullFailure(error)
    } finally {
      io.redraw?.('')
    }
  })
}

interface Wanted {
  readonly sources: readonly string[]
  readonly config: Config
  readonly signal: AbortSignal
}

async function pull(command: Command, io: Io, { sources, config, signal }: Wanted): Promise<void> {
  const isForced = command.getOptionValue('force') === true
  const { openHub } = await import('../../library/open-hub.ts')
  const hub = openHub(config, io.environment, {
    isInsecureAllowed: command.getOptionValue('insecure') === true,
    sources,
    questions: {
      onTrouble: ({ message }, pauseMs) => io.error(`${message}; next attempt in ${Math.ceil(pauseMs / 1_000)} s\n`),
    },
  })
  const planned = await planAll(command, {
    ...{ sources, config, signal, hub, isForced },
    gpuFilesWish: gpuFilesWish(command, io, config),
  })
  const { diskProblem, preflight } = await import('../../library/preflight.ts')
  const found = await Promise.all(planned.map(({ plan }) => preflight(plan, { config, client: hub.client, signal })))
  const problem = await diskProblem(found, config)
  const isPlanOnly = command.getOptionValue('plan') === true
  const remarks = found.flatMap(({ plan, remarks: said }) => said.map((remark) => `${plan.manifest.id}: ${remark}`))
  const notes = [...planned.flatMap((each) => each.notes), ...remarks]
  if (isPlanOnly) {
    printAnswer(
      command,
      io,
      found.map((each) => planToJson(each, problem)),
      () => found.map(planText).join(''),
    )
    io.error([...notes, ...(problem === undefined ? [] : [problem])].map((line) => `${line}\n`).join(''))
    return
  }
  io.error([...found.map(planText), ...notes.map((note) => `${note}\n`)].join(''))
  if (!isForced) requireFit(found, problem)
  createDataFolder(config.data)
  await requireAcceptance(
    command,
    io,
    found.flatMap(({ plan }) => askedLicense(plan)),
  )
  const isNew = new Set(planned.flatMap(({ plan, isNew: isOne }) => (isOne ? [plan.manifest.id] : [])))
  const { fetchAll } = await import('./fetch-all.ts')
  await fetchAll(io, { found, isNew, config, client: hub.client, signal, isJson: wantsJson(command) })
}

async function planAll(
  command: Command,
  options: Wanted & Pick<SourceContext, 'hub' | 'isForced' | 'gpuFilesWish'>,
): Promise<SourcePlan[]> {
  const { sources, config, signal, hub, isForced, gpuFilesWish } = options
  const [id, sha256] = [optionText(command, 'id'), optionText(command, 'sha256')?.toLowerCase()]
  if (sources.length > 1 && (id !== undefined || sha256 !== undefined))
    throw new UsageError('--id and --sha256 are for one model: pull the others by another command')
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256))
    throw new UsageError('--sha256 must be 64 hexadecimal digits')
  const { isModelId } = await import('../../catalog/manifest-schema.ts')
  if (id !== undefined && !isModelId(id))
    throw new UsageError(`--id must be <org>/<name> of letters, digits and ._-, not "${id}"`)
  const { openCatalog } = await import('../../catalog/open-catalog.ts')
  const { planSource } = await import('../../store/sources/sources.ts')
  const withProjector = command.getOptionValue('mmproj') === true
  const catalog = openCatalog(config.data)
  const context = { catalog, hub, signal, id, sha256, withProjector, isForced, gpuFilesWish }
  const plans = await Promise.all([...new Set(sources)].map((source) => planSource(source, context)))
  // Several names of one model are one pull.
  return [...new Map(plans.map((each) => [each.plan.manifest.id, each])).values()]
}

/** Throws CommandError if a model cannot be kept or served here. */
function requireFit(found: readonly Preflight[], diskProblem: string | undefined): void {
  if (diskProblem !== undefined) throw new CommandError(diskProblem)
  const tooLarge = found.find(({ memory }) => memory?.fits === false)
  if (tooLarge === undefined) return
  const { id } = tooLarge.plan.manifest
  throw new CommandError(`${id} does not fit into the memory of this machine; --force downloads it all the same`)
}

/** Returns the licence to accept, if it binds the operator who serves the model. */
function askedLicense({ manifest }: ModelPlan) {
  const { id: modelId, license, licenseUrl, acceptLicense } = manifest
  if (acceptLicense !== true || license === undefined) return []
  return [{ modelId, license, text: licenseUrl ?? license }]
}
