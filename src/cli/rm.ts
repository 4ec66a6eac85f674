import type { Command } from 'commander'
import { sizeText } from '../core/quantities.ts'
import { checkFolderOwner } from '../db/folder-owner.ts'
import type { RemovalProblem, RemovedModel } from '../library/remove-model.ts'
import { askServer, askToUnload } from './control-client.ts'
import { findModel } from './find-model.ts'
import { count } from './format.ts'
import { CommandError, type Io, printAnswer, UsageError } from './io.ts'
import { configOf, newCommand } from './options.ts'

export function rmCommand(io: Io): Command {
  const command = newCommand('rm', 'remove the files of a model from this disk')
    .argument('<model>', 'id of the model')
    .option('--drain', 'wait until the requests that run have ended; new ones are refused')
    .option('--now', 'end the requests that run')
  return command.action(async (id: string) => {
    const { data: dataDir } = configOf(command, io)
    const [isDrain, isNow] = ['drain', 'now'].map((name) => command.getOptionValue(name) === true)
    if (isDrain && isNow) throw new UsageError('--drain and --now cannot be combined')
    checkFolderOwner(dataDir)
    const [{ openCatalog }, { removalProblem, removeModel }] = await Promise.all([
      import('../catalog/open-catalog.ts'),
      import('../library/remove-model.ts'),
    ])
    const catalog = openCatalog(dataDir)
    findModel(catalog, id)
    const removal = { catalog, dataDir, id }
    const own = catalog.operatorManifest(id)
    requireNone(removalProblem(removal), removal, own)
    if (!isDrain && !isNow) await requireIdle(dataDir, id)
    const unload = () => askToUnload(dataDir, id, isDrain ? 'drain' : 'now')
    const removed = await removeModel({ ...removal, unload })
    if ('kind' in removed) throw problemError(removed, removal, own)
    printAnswer(command, io, { ...removed, manifest: removed.manifest ?? null }, () => textOf(removed))
  })
}

interface Named {
  readonly id: string
  readonly dataDir: string
}

function requireNone(problem: RemovalProblem | undefined, named: Named, manifest: string | undefined): void {
  if (problem !== undefined) throw problemError(problem, named, manifest)
}

/** Returns the error of a refused removal. `manifest` is the operator's own. */
function problemError(problem: RemovalProblem, { id, dataDir }: Named, manifest: string | undefined): CommandError {
  const advice = manifest === undefined ? '' : `; ${manifest} describes it: delete that to have the model no longer`
  const texts = {
    carried: `${id} comes with the program and cannot be removed`,
    'not-here': `${id} has no files in ${dataDir}, so there is nothing to remove${advice}`,
  }
  return new CommandError(
    problem.kind === 'pull-running'
      ? `a pull of ${id} is running (pid ${problem.pid}); end it first`
      : texts[problem.kind],
  )
}

async function requireIdle(dataDir: string, id: string): Promise<void> {
  const status = await askServer(dataDir)
  const engine = status?.engines.find(({ modelId }) => modelId === id)
  const busy = (engine?.running ?? 0) + (engine?.waiting ?? 0)
  if (busy > 0)
    throw new CommandError(
      `${id} has ${count(busy, 'running or waiting request')}; --drain lets them end first, --now ends them`,
    )
}

function textOf({ model, freedBytes, manifest, notes }: RemovedModel): string {
  return [
    `${model} is removed, which freed ${sizeText(freedBytes)}.`,
    ...(manifest === undefined ? [] : [`Its manifest ${manifest} is removed, too.`]),
    ...notes,
    '',
  ].join('\n')
}
