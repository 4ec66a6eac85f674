import { Command } from 'commander'
import { CommandError, type Io, printAnswer, UsageError } from './io.ts'
import { configOf, newCommand } from './options.ts'
import { type OperationAnswer, operationTarget, perform, performAndPrint } from './perform.ts'

/** Time limit: large models take minutes to load, and requests take minutes to end. */
const patienceMs = 15 * 60_000

export function modelsCommand(io: Io): Command {
  return new Command('models')
    .description('load, unload, restart and pin models while the server runs')
    .addCommand(loadCommand(io))
    .addCommand(unloadCommand(io))
    .addCommand(restartCommand(io))
    .addCommand(pinCommand(io))
    .addCommand(unpinCommand(io))
}

function onModel(name: string, summary: string): Command {
  return newCommand(name, summary).argument('<model>', 'its id or an alias')
}

function loadCommand(io: Io): Command {
  const command = onModel('load', 'load a model now; others make room if they are idle')
  return command.action(async (model: string) => {
    const answer = await perform(operationTarget(command, io, patienceMs), 'models-load', { model })
    printAnswer(command, io, answer, () => `${answer.model} is loaded.\n`)
  })
}

function unloadCommand(io: Io): Command {
  const command = onModel('unload', 'unload a model, and unpin it; refused while requests run')
    .option('--drain', 'wait until its requests have ended')
    .option('--now', 'fail its requests')
  return command.action(async (model: string) => {
    const [drain, now] = ['drain', 'now'].map((name) => command.getOptionValue(name) === true)
    if (drain && now) throw new UsageError('--drain and --now cannot be combined')
    const target = operationTarget(command, io, patienceMs)
    const answer = await perform(target, 'models-unload', { model, drain, now })
    printAnswer(command, io, answer, () => `${answer.model} is unloaded.\n`)
  })
}

function restartCommand(io: Io): Command {
  const command = onModel('restart', 'end the engine of a model and load the model again; its requests fail')
  return command.action(async (model: string) => {
    const answer = await perform(operationTarget(command, io, patienceMs), 'engines-restart', { model })
    printAnswer(command, io, answer, () => `${answer.model} was restarted.\n`)
  })
}

function pinCommand(io: Io): Command {
  const command = onModel('pin', 'keep a model loaded, whoever needs room, also after a restart')
  return command.action(async (name: string) => {
    const model = await idOf(command, io, name)
    if (model === undefined) throw new CommandError(`there is no model "${name}"; 'inferd list' shows the ids`)
    await performAndPrint(command, io, 'models-pin', { model }, pinnedText)
  })
}

function pinnedText({ model, isServerRunning }: OperationAnswer<'models-pin'>): string {
  return `${model} is pinned; ${isServerRunning ? 'it is being loaded where there is room' : 'the next start of the server loads it'}.\n`
}

function unpinCommand(io: Io): Command {
  const command = onModel('unpin', 'let others have the memory of a pinned model again')
  return command.action(async (name: string) => {
    const model = (await idOf(command, io, name)) ?? name
    await performAndPrint(
      command,
      io,
      'models-unpin',
      { model },
      (answer) => `${answer.model} is not pinned any more.\n`,
    )
  })
}

/**
 * Returns the id of a model; undefined if there is none. Pins are kept by id, and an alias must be found without a
 * server too.
 */
async function idOf(command: Command, io: Io, name: string): Promise<string | undefined> {
  const { openCatalog } = await import('../catalog/open-catalog.ts')
  return openCatalog(configOf(command, io).data).resolve(name)?.entry.manifest.id
}
